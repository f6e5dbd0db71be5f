// The table of docs/decisions/0075 on generated histories of one family, in memory and in Redis: each presented token has one
// of four states, and a refresh takes the step of its row.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import { PRESENTED_STATES, type PresentedState } from '../../../../src/storage/presented-state.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import {
  MISSING,
  OTHER,
  REUSED,
  refreshing,
  signIn,
  spentBy,
  staying,
} from '../../../support/contract/family.ts'
import { CODE } from '../../../support/contract/subject.ts'
import { type RefreshAttempt, useRefreshToken } from '../../../support/contract/use-refresh-token.ts'
import { inMemory, onRedis } from '../../../support/model/world.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

const ANSWERS = [() => true, () => false] as const

/** What a refresh does. All but `spend`, `keep` and `end` leave every state as it is. */
type Step = 'spend' | 'keep' | 'repeat' | 'end' | 'refuse' | 'refuse_other'

interface Request {
  /** The position of the presented token, from the latest one on. */
  readonly back: number
  readonly rotates: boolean
  /** Whether it is the attempt that spent the token, sent again. */
  readonly is_same: boolean
  readonly is_in_window: boolean
  readonly is_of_client: boolean
}

/** The rows: the first that fits says the step. */
const ROWS: readonly (readonly [PresentedState, (request: Request) => boolean, Step])[] = [
  ['unknown', () => true, 'refuse'],
  ['live', ({ is_of_client }) => !is_of_client, 'refuse_other'],
  ['live', ({ rotates }) => rotates, 'spend'],
  ['live', () => true, 'keep'],
  ['just_spent', ({ is_same }) => is_same, 'repeat'],
  ['just_spent', ({ is_of_client }) => !is_of_client, 'refuse_other'],
  ['just_spent', ({ is_in_window }) => is_in_window, 'repeat'],
  ['just_spent', () => true, 'end'],
  ['earlier', ({ is_of_client }) => !is_of_client, 'refuse_other'],
  ['earlier', () => true, 'end'],
]

interface Issued {
  readonly token: string
  state: PresentedState
  /** The attempt that spent it. */
  spent?: RefreshAttempt & { operation: string }
}

const request: fc.Arbitrary<Request> = fc.record({
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 4 })),
  rotates: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  is_same: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  is_in_window: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
  is_of_client: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
})

/** Sends the requests of a history, and compares each answer and all states with the table. */
async function holds({ storage }: { storage: Storage }, history: readonly Request[], met: Set<string>) {
  const { grant, refresh_token } = await signIn(storage)
  const issued: Issued[] = [{ token: refresh_token, state: 'live' }]
  for (const [i, request] of history.entries()) {
    const presented = issued[issued.length - 1 - (request.back % issued.length)]
    if (presented === undefined) throw new RangeError('no token')
    const { state, spent } = presented
    const { is_in_window, is_of_client } = request
    const attempt = {
      ...refreshing(grant, `operation ${i}`),
      retry_window: is_in_window ? 30 : 0,
      ...(!is_of_client && { client_id: 'other' }),
    }
    const again = request.is_same ? spent : undefined
    const sent = again ?? (request.rotates ? attempt : staying(attempt))
    // The attempt that spent it is of the client.
    const judged = again === undefined ? { ...request, is_same: false } : { ...request, is_of_client: true }
    const [, , step] = ROWS.find(([of, fits]) => of === state && fits(judged)) ?? []
    met.add(`${state} ${step}`)
    const answer = await useRefreshToken(storage, presented.token, sent)
    assert.deepEqual(answer, answerOf(step, sent, presented), `${i}: ${state}, ${step}`)
    if (step === 'spend' || step === 'keep') {
      for (const one of issued) if (one.state === 'just_spent') one.state = 'earlier'
    }
    if (step === 'spend') {
      presented.state = 'just_spent'
      presented.spent = sent
      issued.push({ token: attempt.successor, state: 'live' })
    }
    if (step === 'end') for (const one of issued) one.state = 'unknown'
    const found = await Promise.all(issued.map(({ token }) => storage.families.findToken(token)))
    assert.deepEqual(
      found.map((record) => record?.revoked === 'false'),
      issued.map((one) => one.state === 'live'),
      `${i}: only a live token has a live record`,
    )
  }
}

function answerOf(step: Step | undefined, sent: RefreshAttempt, { spent }: Issued) {
  if (step === 'spend') return spentBy(sent)
  if (step === 'repeat' && spent !== undefined) return spentBy(spent)
  if (step === 'end') return REUSED
  if (step === 'refuse_other') return OTHER
  if (step === 'refuse') return MISSING
  const { subject, auth_time, scope } = CODE
  return { outcome: 'ok', sign_in: { subject, auth_time }, scope }
}

const { url } = await startRedis(t)
const redis = await onRedis(url)
t.teardown(redis.end)
const { storage } = await redis.make()
await until('storage can be written to', () => storage.probe().then(...ANSWERS))

for (const [where, make, numRuns] of [
  ['memory', inMemory, 150],
  ['Redis', redis.make, 40],
] as const) {
  t.test(`a refresh takes the step of the state of its token: ${where}`, async (t) => {
    const met = new Set<string>()
    const histories = fc.array(request, { minLength: 8, maxLength: 24, size: 'max' })
    const property = fc.asyncProperty(histories, async (history) => holds(await make(), history, met))
    await fc.assert(property, { numRuns, seed: 75 })
    t.strictSame(
      [...met].toSorted(),
      [...new Set(ROWS.map(([state, , step]) => `${state} ${step}`))].toSorted(),
      'every row is met',
    )
  })
}

t.test('the script and the memory form have a function for each state, in this order', async (t) => {
  const rows = async (file: string, row: RegExp) =>
    [...(await readFile(file, 'utf8')).matchAll(row)].map(([, name]) => name)
  t.strictSame(
    await rows('src/storage/redis/scripts/refresh-token.lua', /^function rows\.(\w+)/gm),
    PRESENTED_STATES,
  )
  const own = await rows(
    'src/storage/memory/refresh-token.ts',
    /^ {2}(\w+)(?:\(attempt.*\{$|: \(\) => MISSING)/gm,
  )
  t.strictSame(own, PRESENTED_STATES)
})
