// A provider whose signals are taken, and the security event tokens that it sends.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { SET_EVENT, SET_TYP } from '../../src/core/security-events.ts'
import type { ProviderDefinition } from '../../src/providers/provider-record.ts'
import { linkOf } from '../../src/users/sign-in-names.ts'
import { comeBy, federate, UPSTREAM } from './providers/federation.ts'
import type { Service, TestOptions } from './service.ts'
import { assertionOf, type Claims, type IssuerKey } from './trusted-issuer.ts'

const SET_TYPE = 'application/secevent+jwt'

/** Sends a security event token. */
export const pushTo =
  ({ request }: Pick<Service, 'request'>) =>
  (path: string, payload: string, type = SET_TYPE) =>
    request({ method: 'POST', url: path, headers: { 'content-type': type }, payload })

/** Signs a security event token. */
export const signSet = (key: Omit<IssuerKey, 'jwk'>, claims: Claims, header: Claims = {}) =>
  assertionOf({ ...key, jwk: {} }, claims, { typ: SET_TYP, ...header })

/** Starts a service that takes the signals of the provider `acme`, by which alice can sign in. */
export async function startWithSignals(
  t: Test,
  options: TestOptions = {},
  record: Partial<ProviderDefinition> = {},
  there: TestOptions = {},
) {
  const given = { signals: true, ...record }
  const here = { receive_signals: 'on', ...options } as const
  const service = await federate(t, given, here, undefined, there)
  const { upstream } = service
  await service.setFields('alice', { linked_subjects: linkOf(UPSTREAM, 'sub-of-alice') })
  const key = upstream.fastify.redmint.keys.signingKey('RS256')
  const seconds = () => Math.floor(service.redmint.now() / 1000)
  /** The claims of a good token: all sessions of alice there are over. */
  const good = (changes: Claims = {}, event: Claims = {}): Claims => ({
    iss: UPSTREAM,
    aud: 'redmint',
    iat: seconds(),
    jti: randomUUID(),
    sub_id: { format: 'iss_sub', iss: UPSTREAM, sub: 'sub-of-alice' },
    events: { [SET_EVENT.session_revoked]: event },
    ...changes,
  })
  const push = pushTo(service)
  return {
    ...service,
    key,
    seconds,
    good,
    push: (token: string, path = '/signals/acme') => push(path, token),
    /** Signs a token, and sends it. */
    say: (claims: Claims = good(), header: Claims = {}, path = '/signals/acme') =>
      push(path, signSet(key, claims, header)),
    /** A browser of alice that signed in by the provider. */
    async come(provider = 'acme') {
      const person = service.person()
      const found = await comeBy(person, 'alice', provider)
      t.ok('location' in found)
      return { ...person, found }
    },
    /** Whether a browser is signed in here. */
    isIn: async ({ here }: ReturnType<typeof service.person>) =>
      (await here.page('/account')).title === 'Your account',
  }
}
