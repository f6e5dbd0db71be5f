// Two replicas on one Redis that alternate with every request; users with accounts; clients on other origins.

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { CHEAP, PASSWORD, userRecord } from '../accounts.ts'
import { type Screen, startBrowser, type Visitor } from '../browser.ts'
import { freePort } from '../process.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { redisStorage } from '../redis-storage.ts'
import { registerClient } from '../server.ts'
import type { TestOptions } from '../service.ts'
import { startService } from '../service.ts'
import { until } from '../until.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { startRoundRobin } from './round-robin.ts'

export interface Stage {
  readonly issuer: string
  readonly redis: RedisServer
  /** The number of requests of each replica. */
  readonly served: readonly number[]
  /** On 127.0.0.1, while the server is on `localhost`: another site. */
  readonly shop: RelyingParty
  /** On a host name of its own. */
  readonly wiki: RelyingParty
  /** Registers a client, and resolves when each replica knows it. */
  register(client: ClientDefinition): Promise<void>
  /** Creates an account with PASSWORD. */
  addUser(username: string, claims?: Record<string, string>): Promise<void>
  /** Opens a new browser without cookies. */
  welcome(screen?: Screen): Promise<Person>
}

/** A user with a browser. */
export interface Person extends Visitor {
  /** Fills in the sign-in page and submits it. */
  signIn(username?: string, password?: string): Promise<void>
  /** Presses the button with this value. */
  press(decision: 'allow' | 'deny' | 'other_account' | 'logout' | 'stay'): Promise<void>
  /** Waits for a page with this heading. */
  sees(heading: string): Promise<void>
}

/** Settings of the replicas; password hashes have the minimum cost. */
const SETTINGS = {
  ...CHEAP,
  argon2_concurrency: 2,
  backchannel_allow_private: true,
  sign_in_failures: 5,
  demo: false,
  backchannel: {},
}

/**
 * Starts everything; it ends with the test.
 * @param options more settings of the replicas
 * @param tls_port where somebody passes TLS on to `port`, which is the balancer's; absent: the issuer is without TLS
 */
export async function setStage(
  t: Test,
  options: TestOptions = {},
  { port: given_port, tls_port }: { readonly port?: number; readonly tls_port?: number } = {},
): Promise<Stage> {
  const [redis, port] = await Promise.all([startRedis(t), given_port ?? freePort()])
  const issuer = tls_port === undefined ? `http://localhost:${port}` : `https://localhost:${tls_port}`
  const settings = { ...SETTINGS, ...options, issuer }
  const replicas = [await startReplica(t, redis, settings), await startReplica(t, redis, settings)]
  const served: number[] = []
  const ports = replicas.map((replica) => replica.port)
  await startRoundRobin(t, port, ports, served)
  const register = async (client: ClientDefinition) => {
    await registerClient(redis, client)
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0] ?? '',
    })
    const knows = async (replica: { port: number }) =>
      (await fetch(`http://127.0.0.1:${replica.port}/oauth2/authorize?${query}`, { redirect: 'manual' }))
        .status === 302
    await until(`${client.client_id} is known`, async () =>
      (await Promise.all(replicas.map(knows))).every(Boolean),
    )
  }
  const shop = await startRelyingParty(t, issuer, 'shop', '127.0.0.1')
  const wiki = await startRelyingParty(t, issuer, 'wiki', 'wiki.localhost')
  for (const client of [shop, wiki]) await register(client.registration)
  const addUser = async (username: string, claims: Record<string, string> = {}) => {
    const record = await userRecord(`sub-of-${username}`, { preferred_username: username, ...claims })
    await redis.cli('HSET', `redmint:user:${username}`, ...Object.entries(record).flat())
  }
  await addUser('alice', { name: 'Alice Example', email: 'alice@example.com', email_verified: 'true' })
  await addUser('bob', { name: 'Bob' })
  let browser: ReturnType<typeof startBrowser> | undefined
  const welcome = async (screen?: Screen) => {
    browser ??= startBrowser(t)
    return personAt(await (await browser).welcome(screen))
  }
  return { issuer, redis, served, shop, wiki, register, addUser, welcome }
}

/** A replica with its own connections and caches, in this process, because starting another one takes seconds. */
async function startReplica(t: Test, redis: RedisServer, settings: TestOptions) {
  const storage = redisStorage(t, redis)
  const { fastify } = await startService(t, { ...settings, storage })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  return { port: (fastify.server.address() as AddressInfo).port }
}

function personAt(visitor: Visitor): Person {
  const { page } = visitor
  return {
    ...visitor,
    async signIn(username = 'alice', password = PASSWORD) {
      await page.fill('input[name=username]', username)
      await page.fill('input[name=password]', password)
      await page.click('button.main')
    },
    press: (decision) => page.click(`button[name=decision][value=${decision}]`),
    async sees(heading) {
      const found = page.getByRole('heading', { level: 1, name: heading, exact: true })
      await found.waitFor().catch(async () => {
        throw new Error(`no "${heading}" at ${page.url()}: ${await page.locator('body').textContent()}`)
      })
    },
  }
}
