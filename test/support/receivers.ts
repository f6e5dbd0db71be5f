// A server that tells receivers of security events, its receivers, and what they get.
import type { InjectOptions } from 'fastify'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import type { Test } from 'tap'
import type { ClientDefinition } from '../../src/clients/record/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { SET_EVENT } from '../../src/core/security-events.ts'
import { indexUser } from '../../src/users/sign-in-names.ts'
import { recorderOn } from './audited.ts'
import { operatorOn } from './operator.ts'
import { signInAndAgree } from './scene/requests.ts'
import { claimsIn } from './scene/tokens.ts'
import { type Given, scene } from './scene.ts'
import { CLIENTS, codeRequest, ISSUER, SECRET } from './service.ts'
import { until } from './until.ts'
import { asDeparture, type Visitor } from './visitor.ts'

export { SET_EVENT }

const receiver = (client_id: string, more: Partial<ClientDefinition> = {}): ClientDefinition => ({
  ...CLIENTS.web,
  client_id,
  client_name: client_id,
  allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'ssf.manage', 'ssf.read'],
  grant_types: ['authorization_code', 'client_credentials'],
  post_logout_redirect_uris: ['https://app.example.com/signed-out'],
  ...more,
})

/** Two clients that may have streams, the second one pairwise, and one that may not. */
export const RECEIVERS: readonly ClientDefinition[] = [
  receiver('payroll'),
  receiver('masked', { subject_type: 'pairwise' }),
  receiver('plain', { allowed_scopes: ['openid', 'email', 'api.read'] }),
]

/** Both workers look at once, and a failure is retried at once. */
const FAST = {
  announcer: { poll: 0.02, busy_poll: 0.02 },
  courier: { poll: 0.02, first_delay: 0.01, longest_delay: 0.01 },
}

export const ON = {
  shared_signals: 'on',
  audit: 'on',
  pairwise_salt: 'a-salt-of-tests-that-is-long-enough',
  backchannel_allow_private: true,
  signals: FAST,
} as const satisfies Given

/** Starts a server with receivers. */
export async function startSignals(t: Test, given: Given = {}) {
  const service = await scene(t, { ...ON, clients: RECEIVERS, ...given })
  const keys = createLocalJWKSet(
    (await service.get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet,
  )

  /** Gets a token of a client for itself. */
  const tokenOf = async (client_id = 'payroll', scope = 'ssf.manage') => {
    const form = { grant_type: 'client_credentials', client_id, client_secret: SECRET, scope }
    return String((await service.token(form)).json.access_token)
  }

  /** What a client asks of the endpoints of receivers. */
  const as = (client_id = 'payroll') => {
    let token: Promise<string> | undefined
    const ask = async (method: InjectOptions['method'], url: string, body?: object | string) => {
      token ??= tokenOf(client_id)
      return service.request({
        method: method ?? 'GET',
        url,
        headers: {
          authorization: `Bearer ${await token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    }
    return {
      ask,
      create: (body: object = {}) => ask('POST', '/ssf/stream', body),
      status: (body: object) => ask('POST', '/ssf/status', body),
      verify: (body: object) => ask('POST', '/ssf/verify', body),
      poll: (stream_id: unknown, body: object = {}) => ask('POST', `/ssf/poll/${stream_id}`, body),
    }
  }

  /** Verifies a token as a receiver does, with another library. Returns its claims. */
  const verify = async (set: unknown, audience = 'payroll') => {
    const { payload } = await jwtVerify(String(set), keys, { issuer: ISSUER, audience, typ: 'secevent+jwt' })
    return payload
  }

  /** Polls until there is a token with one of the events; returns the claims of all that came. */
  const polled = async (client_id: string, stream_id: unknown) => {
    const { json } = await as(client_id).poll(stream_id)
    const sets = Object.values((json.sets ?? {}) as Record<string, string>)
    return Promise.all(sets.map((set) => verify(set, client_id)))
  }

  /** Lets somebody sign in at a client. Returns the tokens, and the claims of the id_token. */
  const use = async (visitor: Visitor, client_id = 'payroll', username = 'alice', scope = 'openid email') => {
    const left = await signInAndAgree(visitor, { client_id, scope, subject: undefined }, username)
    const code = asDeparture(left).told.get('code') ?? ''
    const { json } = await service.token(codeRequest(code, { client_id, client_secret: SECRET }))
    return { ...json, claims: claimsIn(json.id_token) } as Record<string, string> & {
      claims: Record<string, unknown>
    }
  }

  return { ...service, as, tokenOf, verify, polled, use }
}

const CURSOR = { name: 'set-cursor', parse: (hash: Hash) => ({ ok: true, record: hash }) as const }

/** A server with a stream for each receiver, at which alice is known. */
export async function withStreams(t: Test, given: Given = {}) {
  const service = await startSignals(t, given)
  // As the index is some time after a record was written by hand.
  for (const username of ['alice', 'bob']) await indexUser(service.storage, username)
  const streams: Record<string, unknown> = {}
  for (const client_id of ['payroll', 'masked'])
    streams[client_id] = (await service.as(client_id).create()).json.stream_id
  /** The tokens of a receiver, once there are so many. */
  const told = async (client_id = 'payroll', count = 1) => {
    let sets: Awaited<ReturnType<typeof service.polled>> = []
    await until(`${client_id} is told`, async () => {
      sets = await service.polled(client_id, streams[client_id])
      return sets.length >= count
    })
    return sets
  }
  /** Takes all that is there. */
  const take = async (client_id = 'payroll') => {
    const { ask } = service.as(client_id)
    const sets = await service.polled(client_id, streams[client_id])
    await ask('POST', `/ssf/poll/${streams[client_id]}`, { maxEvents: 0, ack: sets.map(({ jti }) => jti) })
  }
  /** Waits until the announcer has read all that happened. */
  const settled = async () => {
    const newest = async () => (await service.storage.trail.read({ is_reverse: true, limit: 1 }))[0]?.id
    const cursor = async () => (await service.storage.records.read(CURSOR, 'cursor'))?.hash.after
    await until('the trail is read', async () => (await newest()) === (await cursor()))
  }
  // Its entries are in the step of the change, as those of a server.
  const { recorder } = recorderOn(service.storage)
  const operator = operatorOn(service.storage, { recorder, settings: service.redmint.settings })
  return { ...service, streams, told, take, settled, operator: operator.run }
}

/** The claims of the event of a token. */
export const eventIn = (set: JWTPayload | undefined) =>
  Object.values((set?.events ?? {}) as Record<string, Record<string, unknown>>)[0] ?? {}

/** The types of the events of tokens, in their order, without the beginnings that all have. */
export const kindsOf = (sets: readonly JWTPayload[]) =>
  sets.flatMap(({ events }) => Object.keys(events as object)).map((uri) => uri.replace(/^.*\//, ''))
