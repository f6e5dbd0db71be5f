// Attempts on derived tokens (RFC 8693): right and wrong derivations, repeated ones, and their ends.

import fc from 'fast-check'
import type { Derivation } from '../../../src/storage/derivation.ts'
import { saveRevokedToken } from '../records.ts'
import { attempt, last, pick, seldom, UNIT, units } from './attempt.ts'
import type { Run } from './run.ts'

const actor = fc.constantFrom('agent', 'agent', 'agent', 'robot')
/** Longer than any derived token lives. */
const KEPT = 5 * UNIT

/** The tokens that can be a subject, if they are live; the others are wrong ones. */
function subjects({ model }: Run, wrong: boolean) {
  return model.tokens.filter(({ type }) => (type !== 'refresh_token') !== wrong)
}

export const derive = attempt(
  'derive',
  fc.record({
    pick,
    client_id: actor,
    from: fc.constantFrom('token', 'token', 'token', 'JWT', 'the same JWT'),
    wrong: seldom,
    of_other_form: seldom,
    gets_jwt: fc.boolean(),
    ttl: units(1, 3),
  }),
  (run, { pick, client_id, from, wrong, of_other_form, gets_jwt, ttl }) => {
    const grant = last(run.model.grants, pick)
    const known = last(subjects(run, wrong), pick)
    const jti = from === 'the same JWT' ? last(run.jwts, pick) : grant && run.newToken(grant.grant, 'jti')
    const presented = from === 'token' ? known?.token : jti
    if (presented === undefined) return undefined
    if (from !== 'token') run.jwts.push(presented)
    const is_other = of_other_form && from === 'token'
    const is_jwt = is_other !== (from !== 'token' || known?.type === 'access_jwt')
    // The JWT is of the family, which outlives it.
    const family = run.model.grant(presented.slice(0, 16))
    const left = ((family?.expires ?? run.model.now) - run.model.now) / 1000
    if (from !== 'token' && left < UNIT) return undefined
    const derivation: Derivation = {
      subject: { token: presented, is_jwt },
      token: run.newToken(presented.slice(0, 16), 'derived'),
      is_jwt: gets_jwt,
      client_id,
      scope: 'api.read',
      audience: '',
      access_token_ttl: is_jwt ? Math.min(ttl, Math.max(left, 1)) : ttl,
      fields: {},
      single_uses: [],
    }
    run.derivations.push(derivation)
    const expected = run.model.deriveToken(derivation)
    return { expected, send: ({ families }) => families.deriveToken(derivation) }
  },
)

export const deriveAgain = attempt('derive again', pick, (run, pick) => {
  const written = run.derivations.filter(({ token }) => run.model.token(token) !== undefined)
  const derivation = last(written, pick)
  if (derivation === undefined) return undefined
  const expected = run.model.deriveToken(derivation)
  return { expected, send: ({ families }) => families.deriveToken(derivation) }
})

export const endDerived = attempt(
  'end derived tokens',
  fc.record({ pick, client_id: actor }),
  (run, { pick, client_id }) => {
    const grant = last(run.grants, pick)
    if (grant === undefined) return undefined
    const expected = run.model.endDerived(grant, client_id)
    return { expected, send: ({ families }) => families.endDerived(grant, client_id) }
  },
)

export const revokeJwt = attempt('revoke a JWT', pick, (run, pick, clock) => {
  const jti = last(run.jwts, pick)
  if (jti === undefined) return undefined
  const fields = { type: 'access_token', client_id: 'app', subject: 'sam', scope: 'api.read' } as const
  const expected = run.model.saveRevokedToken(jti, jti.slice(0, 16), fields, run.model.now + KEPT * 1000)
  return {
    expected,
    send: (storage) => saveRevokedToken(storage, jti, fields, new Date(clock + KEPT * 1000)),
  }
})
