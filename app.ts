import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import managed from './management.ts'
import backchannelLogout, { type BackchannelOptions } from './plugins/backchannel-logout.ts'
import basicAuth from './plugins/basic-auth.ts'
import caller from './plugins/caller.ts'
import clientCertificate from './plugins/client-certificate.ts'
import type { KeeperOptions } from './plugins/console-keepers.ts'
import context from './plugins/context.ts'
import cors from './plugins/cors.ts'
import demoHosts from './plugins/demo-hosts.ts'
import endings from './plugins/endings.ts'
import errors from './plugins/errors.ts'
import type { ExplainOptions } from './plugins/explain.ts'
import form from './plugins/form.ts'
import headers from './plugins/headers.ts'
import late from './plugins/late.ts'
import type { MailOptions } from './plugins/mail.ts'
import metrics, { type MetricsOptions } from './plugins/metrics.ts'
import openapi from './plugins/openapi.ts'
import pages from './plugins/pages.ts'
import thirdParties from './plugins/third-parties.ts'
import tracing, { type TracingOptions } from './plugins/tracing.ts'
import userPages from './plugins/user-pages.ts'
import authorize from './routes/authorize.ts'
import changePassword from './routes/change-password.ts'
import demo from './routes/demo/demo.ts'
import device from './routes/device.ts'
import deviceAuthorization from './routes/device-authorization.ts'
import health from './routes/health.ts'
import homeRoute from './routes/home.ts'
import icon from './routes/icon.ts'
import interaction from './routes/interaction.ts'
import introspect from './routes/introspect.ts'
import language from './routes/language.ts'
import logout from './routes/logout.ts'
import operations from './routes/operations.ts'
import par from './routes/par.ts'
import register from './routes/register.ts'
import revoke from './routes/revoke.ts'
import token from './routes/token.ts'
import userinfo from './routes/userinfo.ts'
import wellKnown from './routes/well-known.ts'
import type { Client } from './src/clients/record/client-record.ts'
import { ConfigError } from './src/config/config-error.ts'
import { consoleNeedsOrigin } from './src/config/console-settings.ts'
import { hasMail } from './src/config/mail-settings.ts'
import type { OptionRule } from './src/config/option-form.ts'
import { hasOwnPage } from './src/config/own-pages.ts'
import { hasPasskeys } from './src/config/passkey-settings.ts'
import { completeSettings, type Settings } from './src/config/settings.ts'
import { sendsResetLinks } from './src/config/sign-in-ways.ts'
import type { ContextOptions, ReplaceableParts } from './src/context.ts'
import { isObject } from './src/core/json.ts'
import { routePrefix } from './src/core/paths.ts'
import type { DirectoryTiming } from './src/directory/connection.ts'
import { loadDirectory } from './src/directory/load.ts'
import { loadExtension } from './src/factors/extend-methods.ts'
import { methodFaults } from './src/interaction/sign-in-method.ts'
import type { GuardedFetch } from './src/outbound/guarded-fetch.ts'
import { loadOwnLogin } from './src/own-login/extend-methods.ts'
import { loadProviders } from './src/providers/extend-methods.ts'
import type { RelyingParties } from './src/providers/parties.ts'
import { loadTracing } from './src/tracing/load-tracing.ts'

/** The options: settings, and the following. Settings that are left out have the defaults of the environment variables. */
export interface RedmintOptions extends Partial<Settings>, Omit<ContextOptions, 'settings'>, MetricsOptions {
  /** The base address: an origin, or an origin and a path, below which the endpoints are. */
  issuer: string
  /** Whether nothing else is served here: `/` is a page, and so are unknown paths in a browser. Default: false. */
  home?: boolean
  /** Whether to log, once it listens, what demo mode left in storage: of several workers, one does. Default: true. */
  warn_of_leftovers?: boolean
  /** Another instance, which answers what only operators need; by default the service itself does. */
  management?: FastifyInstance
}

const isFunction = (value: unknown) => typeof value === 'function'
const FUNCTION: OptionRule = { option: 'a function', accepts: isFunction }
const FLAG: OptionRule = { option: 'true or false', accepts: (value) => typeof value === 'boolean' }

/** What the options that are not settings must be. */
const OPTIONS: Readonly<Record<Exclude<keyof RedmintOptions, keyof Settings>, OptionRule>> = {
  storage: { option: 'what openStorage returns', accepts: (value) => isObject(value) && 'records' in value },
  home: FLAG,
  warn_of_leftovers: FLAG,
  reads_environment: FLAG,
  drain: { option: 'an AbortSignal', accepts: (value) => value instanceof AbortSignal },
  management: {
    option: 'another Fastify instance',
    accepts: (value) => isObject(value) && isFunction(value.register),
  },
  gather: FUNCTION,
  methods: {
    option: 'an array of sign-in methods',
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isObject),
    faults: methodFaults,
  },
  account_source: {
    option: 'an object with a function find',
    accepts: (value) => isObject(value) && isFunction(value.find),
  },
}

interface ServiceOptions
  extends Required<Pick<RedmintOptions, 'home' | 'warn_of_leftovers'>>,
    Pick<RedmintOptions, 'management'>,
    MetricsOptions,
    TracingOptions {
  readonly backchannel: BackchannelOptions
  readonly mail: MailOptions
  readonly explain: ExplainOptions
  readonly keepers: KeeperOptions
  /** What asks providers; absent: nobody signs in by one. */
  readonly parties?: RelyingParties
}

/** The parts of the service that tests replace. */
export interface TestParts extends ReplaceableParts {
  backchannel?: BackchannelOptions
  mail?: MailOptions
  explain?: ExplainOptions
  keepers?: KeeperOptions
  /** Asks providers. */
  provider_fetch?: GuardedFetch
  /** How long a directory may take. */
  directory_timing?: DirectoryTiming
}

const registerAll = async (fastify: FastifyInstance, options: RedmintOptions, replaced: TestParts) => {
  const settings = completeSettings(options, OPTIONS)
  // That of a parent: metadata is at the root of the host (RFC 8414 §3.1, RFC 9728 §3.1).
  if (fastify.prefix !== '') {
    throw new ConfigError([
      `the instance has the prefix ${fastify.prefix}: register redmint on one without a prefix, and with an issuer with this path`,
    ])
  }
  const { home = false, warn_of_leftovers = true, management, gather, ...parts } = options
  const { backchannel = {}, mail = {}, explain = {}, keepers = {}, ...more } = replaced
  const { provider_fetch, directory_timing, ...others } = more
  if (settings.console === 'on' && management !== undefined && settings.console_origin === undefined)
    throw new ConfigError([consoleNeedsOrigin('console', 'console_origin')])
  if (hasOwnPage(settings)) demandLongParameters(management ?? fastify)
  const [withFactors, providers, withOwnLogin, withDirectory, own_clients] = await Promise.all([
    loadExtension(settings),
    loadProviders(settings, provider_fetch),
    loadOwnLogin(settings),
    loadDirectory(settings, directory_timing),
    loadOwnClients(settings),
  ])
  const extend_methods: typeof withFactors = (methods, parts) => {
    const extended = withOwnLogin?.(methods, parts) ?? withFactors(methods, parts)
    const federated = providers === undefined ? extended : providers.extend(extended, parts)
    return withDirectory === undefined ? federated : withDirectory(federated, parts)
  }
  const { telemetry, trace_storage } = await loadTracing()
  await fastify.register(context, {
    ...parts,
    ...others,
    settings,
    extend_methods,
    trace_storage,
    own_clients,
  })
  await fastify.register(service, {
    backchannel,
    mail,
    explain,
    keepers,
    home,
    warn_of_leftovers,
    telemetry,
    ...(providers && { parties: providers.parties }),
    ...(management && { management }),
    ...(gather && { gather }),
  })
}

// The path of a challenge is as long as a request line.
const LONGEST_PARAMETER = 16_384

/** @throws ConfigError if the instance would not find the path of a challenge */
function demandLongParameters({ initialConfig }: FastifyInstance): void {
  // A group of options that is given has its own defaults, and counts before the older place.
  const { routerOptions = initialConfig } = initialConfig as { readonly routerOptions?: object }
  const { maxParamLength = 0 } = routerOptions as { readonly maxParamLength?: number }
  if (maxParamLength >= LONGEST_PARAMETER) return
  throw new ConfigError([
    `login_url and consent_url need an instance that takes long parameters in paths: Fastify({ routerOptions: { maxParamLength: ${LONGEST_PARAMETER} } })`,
  ])
}

async function loadOwnClients(settings: Settings): Promise<Client[]> {
  if (settings.console === 'off') return []
  const { consoleClient } = await import('./src/console/client.ts')
  return [consoleClient(settings)]
}

const service: FastifyPluginAsync<ServiceOptions> = async (
  fastify,
  {
    backchannel,
    mail,
    explain,
    keepers,
    home,
    warn_of_leftovers,
    telemetry,
    parties,
    management,
    ...counting
  },
) => {
  if (telemetry !== undefined || fastify.redmint.settings.trace_context !== 'off') {
    await fastify.register(tracing, { telemetry })
  }
  await fastify.register(backchannelLogout, backchannel)
  await fastify.register(endings)
  if (fastify.redmint.settings.account_page === 'on') await fastify.register(import('./plugins/activity.ts'))
  const { consent_url } = fastify.redmint.settings
  if (consent_url !== undefined) await fastify.register(import('./plugins/own-consent.ts'), { consent_url })
  if (fastify.redmint.settings.audit === 'on') await fastify.register(import('./plugins/audit.ts'))
  if (hasMail(fastify.redmint.settings)) {
    await fastify.register(import('./plugins/mail.ts'), mail)
    await fastify.register(import('./plugins/notices.ts'))
  }
  if (fastify.redmint.settings.explain_max > 0)
    await fastify.register(import('./plugins/explain.ts'), explain)
  await fastify.register(pages)
  await fastify.register(errors)
  await fastify.register(headers)
  await fastify.register(demoHosts)
  await fastify.register(metrics, counting)
  await fastify.register(thirdParties, keepers)
  if (fastify.redmint.settings.console === 'on')
    await fastify.register(import('./plugins/console-keepers.ts'), keepers)
  await fastify.register(openapi)
  await fastify.register(form)
  await fastify.register(clientCertificate)
  await fastify.register(basicAuth)
  await fastify.register(caller)

  const { settings } = fastify.redmint
  const prefix = routePrefix(settings)
  await fastify.register(async (forClients) => {
    await forClients.register(late)
    await forClients.register(cors)
    await forClients.register(wellKnown)
    if (settings.webfinger_hosts.length > 0) await forClients.register(import('./routes/webfinger.ts'))
    await forClients.register(
      async (below) => {
        await below.register(token)
        await below.register(par)
        await below.register(deviceAuthorization)
        await below.register(revoke)
        await below.register(introspect)
        await below.register(userinfo)
        if (settings.client_registration !== 'off') await below.register(register)
      },
      { prefix },
    )
  })
  if (parties !== undefined) await fastify.register(import('./routes/provider-logout.ts'), { prefix })
  await fastify.register(async (forUsers) => {
    await forUsers.register(userPages)
    await forUsers.register(changePassword)
    if (settings.forward_auth_clients.length > 0) await forUsers.register(import('./routes/forward-auth.ts'))
    if (hasPasskeys(settings) && settings.account_page === 'on') {
      await forUsers.register(import('./routes/passkey-endpoints.ts'))
    }
    if (home) await forUsers.register(homeRoute, { docs: management === undefined })
    await forUsers.register(
      async (below) => {
        await below.register(authorize)
        await below.register(interaction)
        await below.register(device)
        const visiting = parties && { parties }
        if (settings.account_page === 'on')
          await below.register(import('./routes/account.ts'), { ...visiting })
        await below.register(import('./routes/link-pages.ts'))
        if (sendsResetLinks(settings)) await below.register(import('./routes/forgot-password.ts'))
        if (settings.sign_up === 'open') await below.register(import('./routes/sign-up.ts'))
        await below.register(logout)
        await below.register(language)
        if (parties !== undefined) await below.register(import('./routes/provider-callback.ts'), { parties })
        if (hasPasskeys(settings)) await below.register(import('./routes/passkeys.ts'))
        if (settings.second_factor !== 'off') await below.register(import('./routes/recovery-codes.ts'))
        await below.register(icon, { also: home ? ['/favicon.ico'] : [] })
      },
      { prefix },
    )
  })
  await fastify.register(demo, { home, warn_of_leftovers })
  if (settings.admin_api === 'on') {
    await fastify.register(import('./routes/admin-metadata.ts'))
    if (management === undefined) {
      await fastify.register(import('./routes/admin.ts'))
      if (settings.console === 'on') await fastify.register(import('./routes/console.ts'))
    }
  }
  await fastify.register(health)
  // Probes ask the process, and know no issuer.
  if (prefix !== '') await fastify.register(health, { prefix })
  if (management === undefined) await fastify.register(operations, { service: fastify })
  else
    fastify.addHook('onReady', async () => {
      await management.register(managed, { service: fastify, telemetry })
    })
}

/** The plugin with parts that a test replaces. */
export const redmintWith = (replaced: TestParts) =>
  fp<RedmintOptions>((fastify, options) => registerAll(fastify, options, replaced), {
    name: 'redmint',
    fastify: '5.x',
  })

/**
 * The whole service as a Fastify plugin: register it with at least an `issuer`, and without a prefix.
 * It adds only the decorator `redmint` to the instance, which `redmint/bearer` needs.
 */
export default redmintWith({})
