import { availableParallelism } from 'node:os'
import type { Static } from '@sinclair/typebox'
import { claimNameProblem } from '../core/custom-claims.ts'
import { devRuleOf, mayBeHttp } from '../core/dev-mode.ts'
import { issuerPath } from '../core/paths.ts'
import { isLoopbackAddress, isLoopbackHost, isUrl } from '../core/uri.ts'
import { auditProblems } from './audit-settings.ts'
import { brandProblems } from './brand.ts'
import { ConfigError } from './config-error.ts'
import { consoleProblems } from './console-settings.ts'
import {
  type Environment,
  isProduction,
  type LowerCase,
  lowerCase,
  SETTING_VARIABLES,
} from './environment.ts'
import { ldapProblems } from './ldap-settings.ts'
import { mailProblems, signUpProblems } from './mail-settings.ts'
import { type OptionForm, type OptionRule, readVariable } from './option-form.ts'
import { isSigningAlg, OPTION_FORMS, type OtherForms } from './option-forms.ts'
import { readOptions } from './options.ts'
import { hasOwnPage, ownPageProblems } from './own-pages.ts'
import { linkProblems } from './page-links.ts'
import { passkeyProblems } from './passkey-settings.ts'
import { readEnvironment } from './read-environment.ts'
import { webPushProblems } from './web-push-settings.ts'

const DEMO_RISK = 'in demo mode anyone can sign in as anyone'

/** What demo mode depends on besides the settings. */
interface Server {
  readonly production: boolean
  /** The address to listen on. */
  readonly host: string
  /** Whether it is one, and not a command beside it, which has a part of its variables. */
  readonly serves: boolean
}

// A host application listens itself.
const HOST_APPLICATION: Server = { production: false, host: 'localhost', serves: true }

type Variables = LowerCase<Static<typeof SETTING_VARIABLES>>

/** Settings whose type differs from that of the variable, or whose default depends on something else. */
interface Exceptions extends OtherForms {
  /** Default: `http://localhost` with the port. */
  issuer: string
  /** Default: `on` in demo mode on loopback and with a `login_url` or a `consent_url`, otherwise `off`. */
  admin_api: NonNullable<Variables['admin_api']>
  /** Default: `on` in demo mode on loopback with the admin API at the same address, otherwise `off`. */
  console: NonNullable<Variables['console']>
  /** Default: `on` in demo mode on loopback with storage in memory, otherwise `off`. */
  audit: NonNullable<Variables['audit']>
  /** Default: half of the cores, divided among the workers; the others serve signed-in users. */
  argon2_concurrency: number
}

/** The settings of the protocol. SETTING_VARIABLES describes the fields. */
export interface Settings extends Omit<Variables, keyof Exceptions>, Exceptions {}

type Problem = [field: keyof Settings, problem: string]

/** Returns how a message names a setting: as its variable, or as an option. */
type NameOf = (field: keyof Settings) => string

/** Returns the variable that sets a setting. */
export const variableOf: NameOf = (field) =>
  field === 'client_certificate_proxies' ? 'TRUSTED_PROXIES' : field.toUpperCase()
const optionOf: NameOf = (field) => field

/**
 * Reads the settings from the variables, and adds a line to `problems` for each invalid one.
 * @param serves whether they are those of a server, and not of a command beside it
 */
export function readSettings(
  env: Environment,
  in_memory: boolean,
  problems: string[],
  serves = true,
): Settings {
  const variables: Omit<Variables, keyof OtherForms> = lowerCase(SETTING_VARIABLES, env)
  const server = { production: isProduction(env.NODE_ENV), host: env.HOST, serves }
  const issuer = variables.issuer ?? new URL(`http://localhost:${env.PORT}`).origin
  const forms = readForms(env, problems)
  const demo = forms.demo ?? (in_memory && demoProblem({ demo: true, issuer }, server) === undefined)
  const admin_api = variables.admin_api ?? (demo === true || hasOwnPage(variables) ? 'on' : 'off')
  // At the management listener it needs an origin.
  const has_console = demo === true && admin_api === 'on' && env.MANAGEMENT_PORT === undefined
  const settings = {
    ...variables,
    ...forms,
    demo,
    issuer,
    admin_api,
    console: variables.console ?? (has_console ? 'on' : 'off'),
    // Not by itself on Redis: a version before 6.2 cannot trim the trail.
    audit: variables.audit ?? (demo === true && in_memory ? 'on' : 'off'),
    ...withoutPasskeys(variables),
    argon2_concurrency:
      variables.argon2_concurrency ??
      Math.min(3, Math.max(1, Math.floor(availableParallelism() / 2 / env.WORKERS))),
  }
  if (env.PORT === 0 && env.ISSUER === undefined) problems.push('ISSUER must be set if PORT is 0')
  problems.push(...settingProblems(settings, server, variableOf))
  return settings
}

/**
 * Completes the settings among the options of an application with the defaults of the environment variables.
 * @param others the rules of the options that are not settings
 * @throws ConfigError that lists all problems of the options
 */
export function completeSettings(
  options: Partial<Settings> & { issuer: string },
  others: Readonly<Record<string, OptionRule>> = {},
): Settings {
  const problems: string[] = []
  const given: Partial<Settings> = readOptions(options, others, problems)
  const defaults = readSettings(readEnvironment({}, []), true, [])
  // An application has no default issuer. An issuer that is not a string has a problem already.
  const issuer = options.issuer === undefined ? '' : defaults.issuer
  const admin_api = hasOwnPage(given) ? 'on' : 'off'
  const settings = {
    ...defaults,
    demo: false,
    admin_api,
    console: 'off',
    audit: 'off',
    issuer,
    ...given,
    ...withoutPasskeys(given),
  } as const
  problems.push(...settingProblems(settings, HOST_APPLICATION, optionOf))
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}

// Who signs in at another page has no use for a passkey of this one.
const withoutPasskeys = ({ login_url }: { readonly login_url?: string }) =>
  login_url === undefined ? {} : ({ passkeys: 'off' } as const)

function readForms(env: Environment, problems: string[]): Omit<OtherForms, 'demo'> & Partial<OtherForms> {
  // Their variables are texts.
  const texts = env as object as Readonly<Record<string, string | undefined>>
  const forms: Readonly<Record<string, OptionForm<unknown>>> = OPTION_FORMS
  const read = Object.entries(forms).map(([field, form]) => {
    const name = variableOf(field as keyof OtherForms)
    return [field, readVariable(form, name, texts[name], problems)] as const
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as unknown as OtherForms
}

// Rules that the schema of the environment cannot express, and those for settings that do not come from it.
function settingProblems(settings: Settings, server: Server, nameOf: NameOf): string[] {
  const problems: Problem[] = [...brandProblems(settings), ...linkProblems(settings)]
  const issuer_problem = issuerProblem(settings)
  if (issuer_problem !== undefined) problems.unshift(['issuer', issuer_problem])
  else if (settings.proxy_strips_path && issuerPath(settings.issuer) === '') {
    problems.push(['proxy_strips_path', `is for an issuer with a path, and ${settings.issuer} has none`])
  }
  const demo_problem = demoProblem(settings, server)
  if (demo_problem !== undefined) problems.push(['demo', demo_problem])
  problems.push(...certificateProblems(settings, server, nameOf), ...algProblems(settings, nameOf))
  problems.push(...mailProblems(settings, nameOf), ...signUpProblems(settings, nameOf))
  problems.push(...auditProblems(settings, nameOf), ...ldapProblems(settings, nameOf))
  problems.push(...ownPageProblems(settings, nameOf), ...consoleProblems(settings, nameOf))
  problems.push(...passkeyProblems(settings, nameOf), ...webPushProblems(settings, nameOf))
  const claim_problem = claimNameProblem(settings.groups_claim)
  if (claim_problem !== undefined) problems.push(['groups_claim', claim_problem])
  return problems.map(([field, problem]) => `${nameOf(field)} ${problem}`)
}

function algProblems(settings: Settings, nameOf: NameOf): Problem[] {
  const { signing_algs } = settings
  const list = `${nameOf('signing_algs')} (${signing_algs.join(',')})`
  // A malformed list has its own problem.
  if (!signing_algs.every(isSigningAlg)) return []
  return (['access_token_alg', 'id_token_alg'] as const)
    .filter((field) => !signing_algs.includes(settings[field]))
    .map((field) => [field, `is ${settings[field]}, which is not in ${list}: change one of the two`])
}

// RFC 9440 §3: anybody who can send the header can pretend to be any client that has a certificate.
function certificateProblems(settings: Settings, { serves }: Server, nameOf: NameOf): Problem[] {
  const { client_certificate_secret, client_certificate_proxies, mtls_origin, issuer } = settings
  const problems: Problem[] = []
  if (serves && client_certificate_secret !== undefined && client_certificate_proxies.length === 0) {
    const proxies = nameOf('client_certificate_proxies')
    problems.push(['client_certificate_secret', `needs ${proxies}, the proxies that send it: set both`])
  }
  if (mtls_origin === undefined) return problems
  if (serves && client_certificate_secret === undefined) {
    const [secret, origin] = [nameOf('client_certificate_secret'), nameOf('mtls_origin')]
    problems.push(['mtls_origin', `needs ${secret}: set it, or remove ${origin}`])
  }
  const { origin, protocol } = isUrl(mtls_origin) ? new URL(mtls_origin) : {}
  if (origin !== mtls_origin || protocol !== 'https:' || origin === originOf(issuer)) {
    problems.push([
      'mtls_origin',
      'must be an https origin other than that of the issuer, without path, query and trailing slash: https://mtls.auth.example.com',
    ])
  }
  return problems
}

// In demo mode anyone signs in as anyone, so it must not serve a real issuer by accident.
function demoProblem(
  { demo, issuer }: Pick<Settings, 'demo' | 'issuer'>,
  { production, host }: Server,
): string | undefined {
  if (demo === false) return undefined
  if (production) return `must be false with NODE_ENV=production: ${DEMO_RISK}`
  if (demo === 'public') return undefined
  if (demo === 'private') {
    const hostname = isUrl(issuer) ? new URL(issuer).hostname : 'localhost'
    return mayBeHttp(hostname, 'allow')
      ? undefined
      : `must be false: the issuer is neither on loopback nor a name of a private network, such as http://auth:3000 or http://auth.internal, and ${DEMO_RISK}`
  }
  const outside = [
    ...(isLoopbackAddress(host) ? [] : ['HOST']),
    ...(isUrl(issuer) && !isLoopbackHost(new URL(issuer).hostname) ? ['the issuer'] : []),
  ]
  if (outside.length === 0) return undefined
  const reason = `${outside.join(' and ')} ${outside.length === 1 ? 'is' : 'are'} not on loopback`
  return `must be false, or public for a public demonstration: ${reason}, and ${DEMO_RISK}`
}

// One spelling: the issuer is compared as text, and its path is in routes, links and names of cookies.
const ISSUER_PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/
const MAX_ISSUER_PATH = 128
/** Paths that a server has at its root. */
const SERVER_PATHS = ['.well-known', 'actuator', 'docs', 'health', 'openapi.json']
const ISSUER_WANTED =
  'must be an origin with or without a path of letters, digits and -._~, without query and slash at its end'

// RFC 8414 §2: an https URL without query and fragment.
function issuerProblem({ issuer, demo }: Pick<Settings, 'demo' | 'issuer'>): string | undefined {
  const canonical = canonicalIssuer(issuer)
  if (canonical === undefined) return `${ISSUER_WANTED}: https://auth.example.com or https://example.com/auth`
  const { protocol, hostname } = new URL(canonical)
  const may_be_http = mayBeHttp(hostname, devRuleOf({ demo }))
  if (protocol !== 'https:' && !(protocol === 'http:' && may_be_http))
    return 'must be https unless its host is loopback (RFC 8414 §2)'
  if (canonical !== issuer) return `${ISSUER_WANTED}, in its canonical form: ${canonical}`
  const path = issuerPath(issuer)
  if (path.length > MAX_ISSUER_PATH) return `must have a path of at most ${MAX_ISSUER_PATH} characters`
  const [, first = ''] = path.split('/')
  return SERVER_PATHS.includes(first)
    ? `must have another path: /${first} is a path of the server itself`
    : undefined
}

function canonicalIssuer(text: string): string | undefined {
  if (!isUrl(text)) return undefined
  const { origin, pathname } = new URL(text)
  const path = pathname.replace(/\/+$/, '')
  return origin === 'null' || (path !== '' && !ISSUER_PATH.test(path)) ? undefined : origin + path
}

function originOf(url: string): string | undefined {
  return isUrl(url) ? new URL(url).origin : undefined
}
