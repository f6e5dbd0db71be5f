// A receiver like that of the OpenID conformance suite, with the checks that its modules for transmitters share.
import { decodeProtectedHeader, type JWTPayload } from 'jose'
import type { Test } from 'tap'
import { startRelyingParty, status } from '../logout/relying-party.ts'
import { SET_EVENT, startSignals } from '../receivers.ts'
import type { Answer } from '../service.ts'
import { until } from '../until.ts'

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/'
export const PUSH = 'urn:ietf:rfc:8935'
export const POLL = 'urn:ietf:rfc:8936'
/** What the suite asks for; the last one is not offered. */
export const EVENTS = ['session-revoked', 'credential-change', 'device-compliance-change'].map(
  (name) => CAEP + name,
)
const STATE = 'aZ09-'.repeat(7)
const HEADER = 'Bearer push_token_of_the_suite'

export type Suite = Awaited<ReturnType<typeof startSuite>>

/** A server with a receiver that the suite plays, and the requests of its modules. */
export async function startSuite(t: Test, method = POLL, authorization_header: string | undefined = HEADER) {
  const service = await startSignals(t)
  const endpoint = method === PUSH ? await startRelyingParty(t, status(202)) : undefined
  const metadata = (await service.get('/.well-known/ssf-configuration')).json
  const at = (name: string) => new URL(String(metadata[name])).pathname
  const { ask } = service.as('payroll')
  const delivery = endpoint
    ? { method, endpoint_url: endpoint.uri, ...(authorization_header && { authorization_header }) }
    : { method }
  const description = 'Stream for OIDF Conformance Test-Suite'
  const config = { description, events_requested: EVENTS, delivery }
  const named = (stream_id: unknown) => `${at('configuration_endpoint')}?stream_id=${stream_id}`

  /** Asks with a token that nobody gave. */
  const askWrongly = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: object) =>
    service.request({
      ...{ method, url },
      headers: { authorization: 'Bearer invalid:token', 'content-type': 'application/json' },
      ...(body && { payload: JSON.stringify(body) }),
    })

  const create = () => ask('POST', at('configuration_endpoint'), config)
  /** A stream that was deleted. */
  const deleted = async () => {
    const { stream_id } = (await create()).json
    await ask('DELETE', named(stream_id))
    return stream_id
  }

  /** Has a verification sent, and returns what came by push or by polling. */
  const verification = async (stream: Answer['json'], ack?: readonly string[], state = STATE) => {
    const { stream_id } = stream
    const asked = await ask('POST', at('verification_endpoint'), { stream_id, state })
    t.equal(asked.status, 204)
    if (endpoint === undefined)
      return Object.values(await polled(stream, { maxEvents: 10, ...(ack && { ack }) }))
    await until('it is pushed', () => endpoint.posted.length > 0)
    return endpoint.posted.map(({ body }) => body)
  }

  /** Polls, as RFC 8936 §2.4 has it. Returns the tokens by their `jti`. */
  const polled = async ({ delivery }: Answer['json'], body: object) => {
    const { endpoint_url } = delivery as { endpoint_url: string }
    const asked = await ask('POST', new URL(endpoint_url).pathname, { returnImmediately: true, ...body })
    t.equal(asked.status, 200, 'RFC 8936 §2.5')
    return asked.json.sets as Record<string, string>
  }

  /** The checks of every token; returns its claims. */
  const checkSet = async (set: unknown, { iss, aud }: Answer['json']): Promise<JWTPayload> => {
    const { alg, typ } = decodeProtectedHeader(String(set))
    t.strictSame([alg, typ], ['RS256', 'secevent+jwt'])
    const claims = await service.verify(set)
    t.equal(Object.keys(claims.events as object).length, 1)
    t.notOk('sub' in claims || 'exp' in claims)
    t.equal(claims.iss, iss)
    t.equal(claims.aud, aud)
    t.ok(Number(claims.iat) <= Math.ceil(service.redmint.now() / 1000))
    return claims
  }

  /** The checks of a verification that was asked for. */
  const checkVerification = async (set: unknown, stream: Answer['json'], state = STATE) => {
    const { sub_id, events } = await checkSet(set, stream)
    t.strictSame(sub_id, { format: 'opaque', id: stream.stream_id })
    t.strictSame(events, { [SET_EVENT.verification]: { state } })
  }

  return {
    ...{ ...service, ask, askWrongly, metadata, at, config, named, endpoint, create, deleted },
    ...{ verification, polled, checkSet, checkVerification, HEADER },
  }
}
