// Replicas in this process that listen on loopback, and the contents of Redis for a family.

import type { Redis } from 'ioredis'
import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../src/clients/record/client-record.ts'
import { CIBA_GRANT } from '../asks.ts'
import { DEVICE_GRANT } from '../device.ts'
import { createClient, isWatching, watchClients } from '../records.ts'
import { redisStorage } from '../redis-storage.ts'
import type { TestOptions } from '../service.ts'
import { CLIENTS, ISSUER, startService } from '../service.ts'
import { JWT_BEARER, trust } from '../trusted-issuer.ts'
import { until } from '../until.ts'
import { PROOF_ISSUER, PROOF_KEY, type Server } from './client.ts'
import { WITH_KEYS } from './client-with-keys.ts'
import { REGISTRATION } from './registrant.ts'

const { app, web, service } = CLIENTS
const { client_secret_hash: _, ...workload } = service
const { client_secret_hash: __, ...keyed } = { ...web, ...WITH_KEYS }

/** Public and confidential, with opaque tokens and with JWTs; one that keeps its refresh tokens; a resource server. */
export const PROOF_CLIENTS = {
  app,
  web,
  'jwt-app': { ...app, client_id: 'jwt-app', access_token_format: 'jwt' },
  'jwt-web': { ...web, client_id: 'jwt-web', access_token_format: 'jwt' },
  fixed: { ...web, client_id: 'fixed', refresh_token_rotation: false },
  /** A device without a browser; its code is a device code that its user allowed. */
  tv: { ...web, client_id: 'tv', redirect_uris: [], grant_types: [DEVICE_GRANT] },
  /** It asks people; its code is a question that its person allowed. */
  agent: { ...web, client_id: 'agent', redirect_uris: [], grant_types: [CIBA_GRANT], asks_people: true },
  /** For the resource that client.ts says. */
  'for-api': { ...web, client_id: 'for-api' },
  'jwt-for-api': { ...web, client_id: 'jwt-for-api', access_token_format: 'jwt' },
  /** With keys: they push their requests, and each of theirs has an assertion, a proof or both. */
  fapi: { ...keyed, client_id: 'fapi' },
  'jwt-fapi': { ...keyed, client_id: 'jwt-fapi', access_token_format: 'jwt' },
  /** A workload without a secret. */
  ci: { ...workload, client_id: 'ci', grant_types: [JWT_BEARER], assertion_issuer: PROOF_ISSUER },
  gateway: { ...service, client_id: 'gateway', can_introspect: true },
} satisfies Record<string, ClientDefinition>

/** A limit that no proof reaches. */
const MANY = 100_000

export interface Replica extends Server {
  /** The clients whose change was reported, in order. */
  changed: string[]
}

/** Starts a replica with the clients of PROOF_CLIENTS; all that share a prefix are replicas of one service. */
export async function startReplica(
  t: Test,
  name: string,
  { url, prefix, ...options }: { url: string; prefix: string } & TestOptions,
): Promise<Replica> {
  const storage = redisStorage(t, { url }, prefix)
  const clients = Object.values(PROOF_CLIENTS)
  const register = () =>
    Promise.all(clients.map((client) => createClient(storage, client.client_id, formatClient(client))))
  await until('the issuer is trusted', () =>
    trust(storage, PROOF_KEY, { issuer: PROOF_ISSUER }).then(...toBoolean),
  )
  // A slow machine may need more than one attempt.
  await until('clients are registered', () => register().then(...toBoolean))
  // Many devices at once are answered by one user.
  const many = { sign_in_failures: MANY }
  const settings = {
    issuer: ISSUER,
    bearer_check_revocation: true,
    trusted_issuers: true,
    ask_people: 'on' as const,
    // Like the other couriers: no command of theirs is among those of a request.
    asks: { timing: { poll: 86_400 } },
    ...REGISTRATION,
    client_registrations: MANY,
    client_registrations_per_address: MANY,
    ...many,
    ...options,
  }
  const { fastify } = await startService(t, { ...settings, storage })
  const address = await fastify.listen({ host: '127.0.0.1', port: 0 })
  const changed: string[] = []
  // Registered after the service, so that the service has already dropped the clients in the list.
  watchClients(storage, {
    changed: (client_id) => changed.push(client_id),
    // After a loss of the connection no change is reported for itself.
    allChanged: () => changed.push(...clients.map(({ client_id }) => client_id)),
  })
  await until('client records are watched', () => isWatching(storage))
  return { name, address, changed }
}

const toBoolean = [() => true, () => false] as const

/** The number of usable tokens of a family by type, according to Redis. */
export async function liveTokens(redis: Redis, prefix: string, grant: string) {
  const live = { access_token: 0, refresh_token: 0 }
  for (const key of await redis.keys(`${prefix}token:{${grant}}.*`)) {
    const [type, revoked] = await redis.hmget(key, 'type', 'revoked')
    if (revoked === 'false') live[type as keyof typeof live] += 1
  }
  return live
}
