import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { type RedmintOptions, readOptions, type TestParts } from './app-options.ts'
import managed from './management.ts'
import basicAuth from './plugins/basic-auth.ts'
import caller from './plugins/caller.ts'
import clientCertificate from './plugins/client-certificate.ts'
import context from './plugins/context.ts'
import cors from './plugins/cors.ts'
import demoHosts from './plugins/demo-hosts.ts'
import errors from './plugins/errors.ts'
import form from './plugins/form.ts'
import headers from './plugins/headers.ts'
import late from './plugins/late.ts'
import metrics, { type MetricsOptions } from './plugins/metrics.ts'
import openapi from './plugins/openapi.ts'
import pages from './plugins/pages.ts'
import { joinRoutes, type LoadedRoom } from './plugins/room.ts'
import rooms from './plugins/rooms.ts'
import tracing from './plugins/tracing.ts'
import userPages from './plugins/user-pages.ts'
import { loadService } from './rooms/load.ts'
import { ownRooms } from './rooms.ts'
import authorize from './routes/authorize.ts'
import changePassword from './routes/change-password.ts'
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
import revoke from './routes/revoke.ts'
import token from './routes/token.ts'
import userinfo from './routes/userinfo.ts'
import wellKnown from './routes/well-known.ts'
import { routePrefix } from './src/core/paths.ts'

export type { RedmintOptions, TestParts } from './app-options.ts'

const registerAll = async (fastify: FastifyInstance, options: RedmintOptions, replaced: TestParts) => {
  const settings = readOptions(options, fastify)
  const { home = false, warn_of_leftovers = true, management, gather, storage } = options
  const own = ownRooms({ ...options, home, warn_of_leftovers }, replaced)
  const made = await loadService({ ...options, ...replaced, settings }, own, fastify.log)
  await fastify.register(context, { context: made.context, owns_storage: storage === undefined })
  await fastify.register(service, {
    loaded: made.loaded,
    home,
    ...(management && { management }),
    ...(gather && { gather }),
  })
}

interface ServiceOptions extends MetricsOptions, Required<Pick<RedmintOptions, 'home'>> {
  readonly loaded: readonly LoadedRoom[]
  readonly management?: FastifyInstance
}

const service: FastifyPluginAsync<ServiceOptions> = async (
  fastify,
  { loaded, home, management, ...counting },
) => {
  await fastify.register(tracing)
  await fastify.register(rooms, { rooms: loaded })
  await fastify.register(pages)
  await fastify.register(errors)
  await fastify.register(headers)
  await fastify.register(demoHosts)
  await fastify.register(metrics, counting)
  await fastify.register(openapi)
  await fastify.register(form)
  await fastify.register(clientCertificate)
  await fastify.register(basicAuth)
  await fastify.register(caller)

  const prefix = routePrefix(fastify.redmint.settings)
  await fastify.register(async (forClients) => {
    await forClients.register(late)
    await forClients.register(cors)
    await forClients.register(wellKnown)
    await joinRoutes(forClients, loaded, 'clients', 'host')
    await forClients.register(
      async (below) => {
        await below.register(token)
        await below.register(par)
        await below.register(deviceAuthorization)
        await below.register(revoke)
        await below.register(introspect)
        await below.register(userinfo)
        await joinRoutes(below, loaded, 'clients')
      },
      { prefix },
    )
  })
  await fastify.register(async (forUsers) => {
    await forUsers.register(userPages)
    await forUsers.register(changePassword)
    await joinRoutes(forUsers, loaded, 'users', 'host')
    if (home) await forUsers.register(homeRoute, { docs: management === undefined })
    await forUsers.register(
      async (below) => {
        await below.register(authorize)
        await below.register(interaction)
        await below.register(device)
        await below.register(import('./routes/link-pages.ts'))
        await below.register(logout)
        await below.register(language)
        await joinRoutes(below, loaded, 'users')
        await below.register(icon, { also: home ? ['/favicon.ico'] : [] })
      },
      { prefix },
    )
  })
  await joinRoutes(fastify, loaded, 'root', 'host')
  await fastify.register((below) => joinRoutes(below, loaded, 'root'), { prefix })
  const for_operators = management === undefined
  await fastify.register(health, { for_operators })
  // Probes ask the process, and know no issuer.
  if (prefix !== '') await fastify.register(health, { prefix, for_operators })
  if (management === undefined) {
    await joinRoutes(fastify, loaded, 'operators')
    await fastify.register(operations, { service: fastify })
  } else
    fastify.addHook('onReady', async () => {
      await management.register(managed, { service: fastify, rooms: loaded })
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
