// Compares everything visible in a storage with the model, and checks the invariants.

import assert from 'node:assert/strict'
import type { Hash } from '../../../src/core/record-hash.ts'
import { SIGN_IN_FIELDS } from '../../../src/storage/families.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { ASKED } from '../../../src/tokens/asked-record.ts'
import { CODE } from '../../../src/tokens/code-record.ts'
import { answeredBy } from '../contract/use-refresh-token.ts'
import { PREFIX } from '../storage/redis/support.ts'
import type { Model } from './model.ts'
import type { Run } from './run.ts'
import type { Key, World } from './world.ts'

const KEYS = new RedisKeys(PREFIX)

/** @throws AssertionError if the storage differs from the model */
export async function compare(run: Run, { now, see, tolerance }: World) {
  const { model } = run
  model.mark()
  const { tokens, grants, keys } = await see(run.tokens, run.grants)
  const clock = now()
  const passed = (expected: number | undefined, instant: number) =>
    expected !== undefined && Math.abs(instant - clock - expected) <= tolerance ? expected : instant - clock

  for (const [i, token] of run.tokens.entries()) {
    const expected = expectedToken(model, token)
    const hash = tokens[i]
    const actual = hash && {
      ...pick(hash, ['jti', 'type', 'client_id', 'subject', 'scope', 'revoked']),
      ends: passed(expected?.ends, Date.parse(hash.expires_at ?? '')),
    }
    assert.deepEqual(actual, expected, `the token ${token}`)
    if (run.dead.has(token)) assert.notEqual(hash?.revoked, 'false', `${token} came back`)
    if (hash?.revoked === 'true') run.dead.add(token)
  }
  for (const [i, grant] of run.grants.entries()) {
    const expected = expectedGrant(model, grant)
    const hash = grants[i]
    const actual = hash && {
      ...pick(hash, ['client_id', 'subject', 'scope', 'auth_time', 'status', ...SIGN_IN_FIELDS]),
      refresh_until: passed(expected?.refresh_until, Number(hash.refresh_until)),
      ...(hash.spent_at === undefined
        ? {}
        : {
            ...pick(hash, ['spent_by', 'answered']),
            spent: passed(expected?.spent, Number(hash.spent_at)),
          }),
    }
    assert.deepEqual(actual, expected, `the grant ${grant}`)
    const living = run.tokens.filter(
      (token, i) =>
        token.startsWith(grant) && tokens[i]?.type === 'refresh_token' && tokens[i]?.revoked === 'false',
    )
    assert.ok(living.length <= 1, `one refresh token at most is in use: ${living}`)
    if (hash?.status !== 'active') assert.deepEqual(living, [], `nothing is in use of ${grant}`)
  }
  if (keys !== undefined) compareKeys(run, keys, clock, tolerance)
}

function expectedToken(model: Model, presented: string) {
  const token = model.token(presented)
  if (token === undefined) return undefined
  const { type, client_id, subject, scope, revoked, expires } = token
  return {
    ...{ jti: presented, type, client_id, subject, scope, revoked: String(revoked) },
    ends: expires - model.now,
  }
}

function expectedGrant(model: Model, presented: string) {
  const grant = model.grant(presented)
  if (grant === undefined) return undefined
  const { client_id, scope, sign_in, revoked, refresh_until } = grant
  const { spent } = model.spent(grant) ?? {}
  const facts = Object.fromEntries(SIGN_IN_FIELDS.map((field) => [field, sign_in?.[field] ?? '']))
  return {
    ...{
      client_id,
      scope,
      ...facts,
      subject: sign_in?.subject ?? '',
      auth_time: String(sign_in?.auth_time ?? ''),
    },
    status: revoked ? 'revoked' : 'active',
    refresh_until: refresh_until - model.now,
    ...(spent && {
      spent_by: spent.by,
      answered: answeredBy(spent.by),
      spent: spent.at - model.now,
    }),
  }
}

/** The existing records and their expiry; every active token of a family is in its index. */
function compareKeys(
  { model, ...run }: Run,
  found: Map<string, Key>,
  clock: number,
  tolerance: number,
): void {
  const expected = new Map<string, number>()
  for (const { code } of model.codes) {
    const live = model.code(code)
    if (live) expected.set(KEYS.record(CODE, code), live.expires - model.now)
  }
  for (const question of model.questions.asked) {
    if (model.questions.live(question))
      expected.set(KEYS.record(ASKED, question.id), question.expires - model.now)
  }
  for (const token of run.tokens) {
    const live = model.token(token)
    if (live) expected.set(KEYS.token(token), live.expires - model.now)
  }
  for (const grant of run.grants) {
    const live = model.grant(grant)
    if (live === undefined) continue
    expected.set(KEYS.family(grant), live.expires - model.now)
  }
  const records = [...found].filter(([, { hash }]) => hash !== undefined)
  const actual = records.map(([key, { left }]) => {
    const ends = expected.get(key) ?? Number.NaN
    return [key, Math.abs(left - ends) <= tolerance ? ends : left] as const
  })
  assert.deepEqual(new Map(actual), expected, 'the keys and their times to live')
  for (const grant of run.grants) {
    const index = found.get(KEYS.familyIndex(grant))
    const lasts = (model.grant(grant)?.expires ?? Number.NEGATIVE_INFINITY) - model.now
    if (index) assert.ok(index.left > 0 && index.left <= lasts + tolerance, 'an index ends with its grant')
    for (const { token, member, revoked, expires } of model.tokens) {
      if (!token.startsWith(grant) || !member || revoked || model.token(token) === undefined) continue
      const score = index?.members?.get(KEYS.token(token)) ?? Number.NaN
      const left = expires - model.now
      assert.ok(Math.abs(score - clock - left) <= tolerance, `${token} is in the index, by its end`)
      assert.ok((index?.left ?? 0) >= left - tolerance, `the index lasts as long as ${token}`)
    }
  }
}

function pick(hash: Hash, fields: readonly string[]): Hash {
  return Object.fromEntries(fields.map((field) => [field, hash[field] ?? '']))
}
