// A running server accessed over HTTP only, and clients registered with redis-cli as an operator does.
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../src/config/environment.ts'
import { SIGNING_ALGS } from '../../src/core/algs.ts'
import { PATHS } from '../../src/core/paths.ts'
import { freePort, type ServerProcess, startServer } from './process.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import type { TestOptions } from './service.ts'
import { authorizationRequest, bearer, CLIENTS, codeRequest, REDIRECT_URI, startService } from './service.ts'
import { until } from './until.ts'

/** A client_id and a secret with characters that must be form-encoded (RFC 6749 §2.3.1) or are often forgotten. */
export const ODD_ID = `w:e b+a&c=d%2F/?#"~!'()*;,[]{}`
export const ODD_SECRET = ' sécret: +%2B&=#/?"\\✓ '

type Overrides = Record<string, string | undefined>
type Headers = Record<string, string>

export interface Answer {
  status: number
  headers: globalThis.Headers
  text: string
  json: Record<string, unknown>
}

/** Writes a client record with the real redis-cli, with the default prefix. */
export async function registerClient(
  redis: Pick<RedisServer, 'cli'>,
  client: ClientDefinition,
): Promise<void> {
  await redis.cli(
    'HSET',
    `redmint:client:${client.client_id}`,
    ...Object.entries(formatClient(client)).flat(),
  )
}

/**
 * A server in demo mode on its own Redis, with a confidential client `ODD_ID <format>` and a public client `app
 * <format>` for both access token formats.
 */
export async function startWithForeignClients(t: Test) {
  const redis = await startRedis(t)
  for (const access_token_format of ACCESS_TOKEN_FORMATS) {
    await registerClient(redis, {
      ...CLIENTS.web,
      client_id: `${ODD_ID} ${access_token_format}`,
      client_secret_hash: createHash('sha256').update(ODD_SECRET).digest('base64'),
      redirect_uris: [REDIRECT_URI, `${REDIRECT_URI}?tenant=a%20b`],
      access_token_format,
    })
    await registerClient(redis, {
      ...CLIENTS.app,
      client_id: `app ${access_token_format}`,
      access_token_format,
    })
  }
  const { port } = await startReady(t, { REDIS_URL: redis.url, DEMO: 'true' })
  return { redis, issuer: `http://localhost:${port}` }
}

/** Starts a server and waits until it is ready and publishes its keys: a first start makes RSA keys after that. */
export async function startReady(
  ...[t, environment, entry]: Parameters<typeof startServer>
): Promise<ServerProcess> {
  const server = await startServer(t, environment, entry)
  const { get } = visit(server.address)
  for (const path of ['/actuator/health/readiness', PATHS.jwks]) {
    await until(`the server answers ${path}`, async () => (await get(path)).status === 200)
  }
  return server
}

/** A server in demo mode on this Redis. Its issuer differs from its address, as behind a balancer. */
export async function startReplica(t: Test, redis: RedisServer) {
  const environment = {
    REDIS_URL: redis.url,
    ISSUER: 'https://auth.example.com',
    DEMO: 'public',
    // Tests retry until a change has taken effect.
    CLIENT_AUTH_FAILURES: '100000',
  }
  return visit((await startReady(t, environment)).address)
}

/** Three servers that start at the same time. */
export async function startReplicas(t: Test, redis: RedisServer) {
  const start = () => startReplica(t, redis)
  return Promise.all([start(), start(), start()])
}

/** Requests to the server at an address. */
export function visit(address: string) {
  const get = async (path: string, headers: Headers = {}) =>
    read(await fetch(address + path, { headers, redirect: 'manual' }))
  const token = async (form: Record<string, string>, headers: Headers = {}) =>
    read(await fetch(`${address}/oauth2/token`, { method: 'POST', headers, body: new URLSearchParams(form) }))
  const authorize = async (overrides?: Overrides) => {
    const { headers } = await get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest(overrides))}`)
    return new URL(headers.get('location') ?? 'none:').searchParams
  }
  return {
    get,
    /** Posts a form to the token endpoint. */
    token,
    /** The redirect of the authorization endpoint for the client `app`. */
    authorize,
    /** The tokens of a sign-in of the client `app`. */
    async signIn(overrides?: Overrides) {
      const code = (await authorize(overrides)).get('code') ?? ''
      const { client_id = 'app' } = overrides ?? {}
      return (await token(codeRequest(code, { client_id }))).json as Record<
        'access_token' | 'refresh_token' | 'id_token',
        string
      >
    },
    /** Calls the demo API. */
    api: (access_token: string) => get('/api/resource', bearer(access_token)),
  }
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

/** A service in this process, as startService creates it, that listens at its issuer. */
export async function startListening(t: Test, options: TestOptions = {}) {
  const port = await freePort()
  const service = await startService(t, { issuer: `http://localhost:${port}`, ...options })
  await service.fastify.listen({ host: '127.0.0.1', port })
  return { ...service, issuer: `http://localhost:${port}` }
}

/** Waits for the keys that sign next: they follow the first ones in the background, in each replica. */
export async function untilAllKeys(
  replicas: readonly Pick<ReturnType<typeof visit>, 'get'>[],
): Promise<void> {
  for (const { get } of replicas) {
    await until('all keys are published', async () => {
      const { keys } = (await get(PATHS.jwks)).json as { keys?: object[] }
      return keys?.length === 2 * SIGNING_ALGS.length
    })
  }
}
