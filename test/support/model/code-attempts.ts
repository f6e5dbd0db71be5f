// Attempts on codes: issued, correct and wrong redemptions, replays, and repeated attempts.

import fc from 'fast-check'
import { SIGN_IN_FIELDS } from '../../../src/storage/families.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import type { CodeRedemption } from '../../../src/tokens/token-families.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { saveCode } from '../records.ts'
import { attempt, last, pick, SCOPE, seldom, units } from './attempt.ts'
import type { Run } from './run.ts'

export const authorize = attempt(
  'authorize',
  fc.record({
    client_id: fc.constantFrom('app', 'web'),
    ttl: units(1, 2),
    refresh_token_ttl: units(1, 4),
    access_token_ttl: units(1, 3),
    idle_ttl: fc.option(units(1, 3), { nil: undefined, freq: 2 }),
    challenged: fc.constantFrom(true, true, false),
    // A code for resources is redeemed for them: target-contract.ts.
    known: fc.subarray(SIGN_IN_FIELDS.filter((field) => field !== 'resource')),
  }),
  (run, { client_id, ttl, refresh_token_ttl, access_token_ttl, idle_ttl, challenged, known }) => {
    const grant = run.newGrant()
    const code = run.newToken(grant, 'code')
    const record: CodeRecord = {
      client_id,
      redirect_uri: `https://${client_id}.example/`,
      scope: SCOPE,
      subject: `subject of ${grant}`,
      ...(challenged ? { code_challenge: `challenge-of-${grant}`.padEnd(43, '-') } : {}),
      auth_time: 1_795_000_000,
      ...Object.fromEntries(known.map((field) => [field, `${field} of ${grant}`])),
    }
    const settings = { refresh_token_ttl, access_token_ttl, ...(idle_ttl === undefined ? {} : { idle_ttl }) }
    const expected = run.model.saveCode(code, grant, record, ttl, settings)
    return { expected, send: (storage) => saveCode(storage, code, record, ttl) }
  },
)

const unspent = ({ model }: Run) => model.codes.filter(({ spent_by }) => spent_by === undefined)

const FIELDS = ['client_id', 'redirect_uri', 'code_challenge'] as const
type Field = (typeof FIELDS)[number]

interface Manner {
  pick: number
  wrong: Field[]
  again: boolean
  fake: boolean
  unproven: boolean
  refreshable: boolean
  jwt: boolean
}

function redeemSo(run: Run, { pick, wrong, again, fake, unproven, refreshable, jwt }: Manner) {
  const issued = last(again ? run.model.codes : unspent(run), pick)
  if (issued === undefined) return undefined
  const { grant, record, settings } = issued
  const code = fake ? run.newToken(grant, 'fake') : issued.code
  const { client_id, redirect_uri, code_challenge } = record
  const challenge = unproven || code_challenge === undefined ? {} : { code_challenge }
  const redemption: CodeRedemption = {
    ...{ client_id, redirect_uri, ...challenge },
    ...Object.fromEntries(wrong.map((field) => [field, `wrong ${field}`])),
    operation: run.newOperation(),
    ...(jwt ? {} : { access_token: run.newToken(grant, 'access') }),
    ...(refreshable ? { refresh_token: run.newToken(grant, 'refresh') } : {}),
    ...settings,
  }
  run.redemptions.push({ code, redemption })
  const expected = run.model.redeemCode(code, redemption)
  return { expected, send: (storage: Storage) => redeemCode(storage, code, redemption) }
}

const right = {
  pick: fc.constant(0),
  wrong: fc.constant<Field[]>([]),
  again: fc.constant(false),
  fake: fc.constant(false),
  unproven: fc.constant(false),
  refreshable: fc.constant(true),
}

/** Redeems the latest code correctly. */
export const redeemRightly = attempt('redeem', fc.record({ ...right, jwt: fc.boolean() }), redeemSo)

export const redeem = attempt(
  'redeem',
  fc.record({
    pick,
    wrong: fc.oneof({ weight: 3, arbitrary: fc.constant<Field[]>([]) }, fc.subarray([...FIELDS])),
    again: seldom,
    fake: seldom,
    unproven: seldom,
    refreshable: seldom.map((no) => !no),
    jwt: fc.boolean(),
  }),
  redeemSo,
)

export const redeemAgain = attempt('redeem again', pick, (run, pick) => {
  const earlier = last(run.redemptions, pick)
  if (earlier === undefined) return undefined
  const { code, redemption } = earlier
  const expected = run.model.redeemCode(code, redemption)
  return { expected, send: (storage) => redeemCode(storage, code, redemption) }
})
