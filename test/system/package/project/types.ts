// What the types must refuse, and the names that a host needs.

import Fastify from 'fastify'
import redmint, { type Config, ConfigError, readConfig } from 'redmint'
import bearer from 'redmint/bearer'
import resourceServer from 'redmint/resource-server'
import { openStorage, type RedisLocation, StorageUnavailable } from 'redmint/storage'

const config: Config = readConfig({ REDIS_URL: 'redis://127.0.0.1:6379' })
const redis: RedisLocation | undefined = config.redis
export const host = Fastify()
export const storage = openStorage(redis === undefined ? {} : { redis }, host.log)
export const errors: (new (...args: never[]) => Error)[] = [ConfigError, StorageUnavailable]

host.register(redmint, { ...config.settings, storage })
// @ts-expect-error The issuer is required.
host.register(redmint, { demo: true })
// @ts-expect-error The setting does not exist.
host.register(redmint, { issuer: 'https://auth.example.com', access_token_lifetime: 300 })
// @ts-expect-error A kind of Redis that does not exist.
openStorage({ redis: { kind: 'replica', url: 'redis://127.0.0.1:6379' } }, host.log)
host.register(bearer)
// @ts-expect-error No need of a route.
host.protect({ scope: ['api.read'] })
host.register(resourceServer, { issuer: 'https://auth.example.com', resource: 'https://api.example.com' })
// @ts-expect-error The issuer is required.
host.register(resourceServer, { resource: 'https://api.example.com' })
// @ts-expect-error Scopes are a list.
host.protect({ scopes: 'api.read' })
