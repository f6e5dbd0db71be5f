// What clients do while Redis has a fault, for each endpoint, and what must hold afterwards.
import type { Test } from 'tap'
import type { Server, Way } from './client.ts'
import { type Allowance, type Entry, type Place, succeeded } from './history.ts'
import { registeredBy } from './registrant.ts'
import type { PROOF_CLIENTS } from './replica.ts'
import type { Scene } from './scene.ts'

export type Attempt = (server: Server, way: Way) => Promise<Entry>

export interface Case {
  name: string
  client: keyof typeof PROOF_CLIENTS
  /** Whether running its commands twice would make a difference. */
  writes: boolean
  /** Prepares everything that the attempt needs. */
  prepare(scene: Scene): Promise<Attempt>
  /** Checks the result of the successful attempt. */
  afterwards(t: Test, what: string, entry: Entry, scene: Scene): Promise<void>
}

interface Tokens {
  access_token: string
  refresh_token: string
}

function tokensOf({ outcome }: Entry): Tokens {
  const { access_token, refresh_token, status } = outcome
  if (access_token === undefined || refresh_token === undefined)
    throw new Error(`${status} instead of tokens`)
  return { access_token, refresh_token }
}

/** Pushes a request, and returns its request_uri. */
export async function requestUriFor({ client, server }: Scene): Promise<string> {
  const { outcome } = await client.untilAnswered((way) => client.push(server, way))
  if (outcome.request_uri === undefined) throw new Error(`${outcome.status} instead of a request_uri`)
  return outcome.request_uri
}

async function codeFor(scene: Scene): Promise<string> {
  const { client, server } = scene
  if (client.asks) return scene.allowed()
  const request_uri = client.pushes ? await requestUriFor(scene) : undefined
  const { outcome } = await client.untilAnswered((way) => client.authorize(server, way, request_uri))
  if (outcome.code === undefined) throw new Error(`${outcome.status} instead of a code`)
  return outcome.code
}

async function signIn(scene: Scene): Promise<Tokens> {
  const { client, server } = scene
  const code = await codeFor(scene)
  return tokensOf(await client.untilAnswered((way) => client.redeem(server, code, way)))
}

/** The tokens are valid, there is one refresh token, and the client can use it. */
async function goesOn(t: Test, what: string, tokens: Tokens, { client, gateway, server, live }: Scene) {
  t.equal((await live(tokens.refresh_token)).refresh_token, 1, `${what}: one refresh token`)
  await client.untilAnswered((way) => client.use(server, tokens.access_token, 'api', way))
  await client.untilAnswered((way) => gateway.use(server, tokens.access_token, 'introspect', way))
  const next = tokensOf(
    await client.untilAnswered((way) => client.refresh(server, tokens.refresh_token, way)),
  )
  const place = client.places.includes('userinfo') ? 'userinfo' : 'introspect'
  await client.untilAnswered((way) => client.use(server, next.access_token, place, way))
}

/** The longest lifetimes of clients that registered themselves, in seconds: without tokens, and at all. */
const DAY = 86_400
const MAX_LIFETIME = 90 * DAY

const nothing = async () => {}

export const codeExchange = (client: Case['client'], written: number): Case => ({
  name: `code exchange by ${client}`,
  client,
  writes: true,
  async prepare(scene) {
    const code = await codeFor(scene)
    return (server, way) => scene.client.redeem(server, code, way)
  },
  async afterwards(t, what, entry, scene) {
    const tokens = tokensOf(entry)
    t.equal((await scene.live(tokens.refresh_token)).access_token, written, `${what}: one access token`)
    await goesOn(t, what, tokens, scene)
  },
})

export const refresh = (client: Case['client']): Case => ({
  name: `refresh by ${client}`,
  client,
  writes: true,
  async prepare(scene) {
    const { refresh_token } = await signIn(scene)
    return (server, way) => scene.client.refresh(server, refresh_token, way)
  },
  async afterwards(t, what, entry, scene) {
    const tokens = tokensOf(entry)
    const { action } = entry
    // The checker compares the successors.
    if (action.kind !== 'refresh') return
    const { client, server } = scene
    await client.untilAnswered((way) => client.refresh(server, action.refresh_token, way))
    await goesOn(t, what, tokens, scene)
  },
})

export const revoke = (client: Case['client'], type: keyof Tokens): Case => ({
  name: `revocation of the ${type} of ${client}`,
  client,
  writes: true,
  async prepare(scene) {
    const token = (await signIn(scene))[type]
    return (server, way) => scene.client.revoke(server, token, way)
  },
  async afterwards(t, what, { action }, { client, gateway, server }) {
    if (action.kind !== 'revoke') return
    const { token } = action
    const entry = await client.untilAnswered((way) =>
      type === 'refresh_token'
        ? client.refresh(server, token, { ...way, honest: false })
        : gateway.use(server, token, 'introspect', { ...way, honest: false }),
    )
    t.notOk(succeeded(entry), `${what}: it is revoked`)
  },
})

export const use = (client: Case['client'], place: Place): Case => ({
  name: `${place} for ${client}`,
  client,
  writes: false,
  async prepare(scene) {
    const { access_token } = await signIn(scene)
    return (server, way) => scene.client.use(server, access_token, place, way)
  },
  afterwards: nothing,
})

export const ownToken = (client: Case['client']): Case => ({
  name: `client credentials of ${client}`,
  client,
  writes: true,
  prepare:
    async ({ client }) =>
    (server, way) =>
      client.ownToken(server, way),
  async afterwards(t, what, { outcome }, { client, server, live }) {
    const { access_token = '' } = outcome
    t.same(await live(access_token), { access_token: 1, refresh_token: 0 }, what)
    await client.untilAnswered((way) => client.use(server, access_token, 'api', way))
  },
})

/** Attempts may be lost after they were written: on a busy machine not the first one alone. */
const INVITED = 5
const attempts = new WeakMap<Scene, number>()

const registration = (allow: (scene: Scene) => Promise<Allowance>, how: string): Case => ({
  name: `registration ${how}`,
  client: 'app',
  writes: true,
  async prepare(scene) {
    const allowance = await allow(scene)
    return (server, way) => {
      attempts.set(scene, (attempts.get(scene) ?? 0) + 1)
      return scene.registrant.register(server, allowance, way)
    }
  },
  async afterwards(t, what, entry, scene) {
    const registered = registeredBy(entry)
    if (registered === undefined) throw new Error(`${what}: no client`)
    const { lifetimes, counted, uses_left } = await scene.registrations()
    const { action } = entry
    const is_open = action.kind === 'register' && action.allowance.invitation === undefined
    // What was lost with its answer is counted, and lapses by disuse.
    t.equal(lifetimes.length, is_open ? counted : INVITED - uses_left, `${what}: each client was counted`)
    const most = attempts.get(scene) ?? 0
    t.ok(lifetimes.length <= most, `${what}: ${lifetimes.length} clients by ${most} attempts`)
    t.ok(
      lifetimes.every((seconds) => seconds > 0 && seconds <= (is_open ? DAY : MAX_LIFETIME)),
      `${what}: ${lifetimes}`,
    )
    const client = scene.as(registered)
    const tokens = await signIn({ ...scene, client })
    await goesOn(t, what, tokens, { ...scene, client })
  },
})

const rename: Case = {
  name: 'change of a registration',
  client: 'app',
  writes: true,
  async prepare(scene) {
    const { client, registrant, server } = scene
    const allowance = await scene.invite(INVITED)
    const register = (way: Way) => registrant.register(server, allowance, way)
    const registered = registeredBy(await client.untilAnswered(register))
    if (registered === undefined) throw new Error('no client')
    return (server, way) => registrant.rename(server, registered, 'Renamed', way)
  },
  async afterwards(t, what, _, scene) {
    const { lifetimes } = await scene.registrations()
    t.equal(lifetimes.length, 1, `${what}: one client`)
    t.ok(
      lifetimes.every((seconds) => seconds > 0),
      `${what}: it lapses by disuse`,
    )
  },
}

/** Groups that run concurrently, because they mostly wait. */
export const CASES: Record<string, Case[]> = {
  'codes and own tokens': [
    codeExchange('tv', 1),
    // C14: a redemption whose answer was lost promises what that of a code does.
    codeExchange('agent', 1),
    {
      name: 'authorization',
      client: 'app',
      writes: true,
      prepare:
        async ({ client }) =>
        (server, way) =>
          client.authorize(server, way),
      async afterwards(t, what, { outcome }, { client, server }) {
        const { code = '' } = outcome
        const redeemed = await client.untilAnswered((way) => client.redeem(server, code, way))
        t.ok(succeeded(redeemed), `${what}: the code is good`)
      },
    },
    ownToken('web'),
  ],
  assertions: [
    {
      name: 'assertion',
      client: 'ci',
      writes: true,
      prepare:
        async ({ client }) =>
        (server, way) =>
          client.assert(server, way),
      async afterwards(t, what, { action, outcome }, { client, server, live }) {
        const { access_token = '' } = outcome
        t.same(await live(access_token), { access_token: 1, refresh_token: 0 }, what)
        await client.untilAnswered((way) => client.use(server, access_token, 'api', way))
        if (action.kind !== 'assertion') return
        const replay = (way: Way) => client.assert(server, { ...way, honest: false }, action.assertion)
        t.notOk(succeeded(await client.untilAnswered(replay)), `${what}: the assertion is spent`)
      },
    },
  ],
  registration: [
    registration(({ invite }) => invite(INVITED), 'by invitation'),
    registration(async ({ invite }) => {
      await invite(0)
      return { clients: INVITED }
    }, 'by anybody'),
    rename,
  ],
  'code exchange': [codeExchange('app', 1), codeExchange('jwt-app', 0)],
  refresh: [refresh('app'), refresh('fixed'), refresh('jwt-app')],
  'tokens for a resource': [
    codeExchange('for-api', 1),
    codeExchange('jwt-for-api', 0),
    refresh('for-api'),
    refresh('jwt-for-api'),
  ],
  revocation: [
    revoke('app', 'access_token'),
    revoke('app', 'refresh_token'),
    revoke('jwt-web', 'access_token'),
    revoke('jwt-web', 'refresh_token'),
  ],
  bearers: [
    use('web', 'introspect'),
    use('jwt-web', 'introspect'),
    use('app', 'userinfo'),
    use('jwt-app', 'userinfo'),
    use('app', 'api'),
    use('jwt-app', 'api'),
  ],
}
