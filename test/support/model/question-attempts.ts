// Attempts on questions: asked, answered, polled rightly and wrongly, and polls that are sent again.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { write } from '../../../src/storage/records.ts'
import type { RecordStore, Storage } from '../../../src/storage/storage.ts'
import { ASKED, ASKED_KIND, type AskedRecord } from '../../../src/tokens/asked-record.ts'
import {
  allowedFields,
  redeemWaiting,
  type WaitingRedemption,
  waitingIdOf,
} from '../../../src/tokens/waiting-code.ts'
import { attempt, last, pick, SCOPE, seldom, units } from './attempt.ts'
import type { Question } from './questions.ts'
import type { Run } from './run.ts'

/** Seconds: polls of one moment are too early, and those after a unit of time are not. */
const INTERVAL = 55

export const ask = attempt(
  'ask',
  fc.record({
    ttl: units(1, 3),
    refresh_token_ttl: units(1, 4),
    access_token_ttl: units(1, 3),
    // As the secret of a device code.
    kind: fc.constantFrom(ASKED_KIND, ASKED_KIND, 'another'),
  }),
  (run, { ttl, refresh_token_ttl, access_token_ttl, kind }) => {
    const grant = run.newGrant()
    const auth_req_id = run.newToken(grant, 'question')
    const id = waitingIdOf(auth_req_id) ?? ''
    const asked: AskedRecord = {
      ...{ kind, client_id: 'app', asked: `subject of ${grant}`, scope: SCOPE, address: '192.0.2.1' },
      ...{ asked_at: '2026-11-30T00:00:00.000Z', status: 'pending', interval: String(INTERVAL) },
    }
    const record = { client_id: 'app', redirect_uri: '', scope: SCOPE, subject: '', auth_time: 0 }
    run.model.questions.asked.push({
      ...{ auth_req_id, id, grant, kind, record, status: 'pending', interval: INTERVAL },
      expires: run.model.now + ttl * 1000,
      settings: { refresh_token_ttl, access_token_ttl },
    })
    return { expected: undefined, send: ({ records }) => records.put(write(ASKED, id, asked, ttl)) }
  },
)

/** What can still be answered or redeemed; if there is nothing, what is over. */
function open({ model }: Run): readonly Question[] {
  const { questions } = model
  const living = questions.asked.filter((one) => questions.live(one) && one.spent_by === undefined)
  return living.length > 0 ? living : questions.asked
}

function answerSo(run: Run, { pick, yes, over }: { pick: number; yes: boolean; over: boolean }) {
  const question = last(over ? run.model.questions.asked : open(run), pick)
  if (question === undefined) return undefined
  const { grant, id } = question
  const sign_in = { subject: `subject of ${grant}`, username: `user of ${grant}`, auth_time: 1_795_000_000 }
  const set = yes ? allowedFields(sign_in, SCOPE) : { status: 'denied' }
  const expected = run.model.questions.answer(question, yes ? sign_in : undefined)
  return {
    expected,
    send: ({ records }: RecordStore) => records.change(ASKED, id, { set, expected: { status: 'pending' } }),
  }
}

export const answer = attempt(
  'answer',
  fc.record({ pick, yes: fc.constantFrom(true, true, false), over: seldom }),
  answerSo,
)

/** Allows what was asked last. */
export const allow = attempt('allow', fc.constant({ pick: 0, yes: true, over: false }), answerSo)

interface Manner {
  pick: number
  over: boolean
  wrong: 'client_id' | 'kind' | undefined
  jwt: boolean
  refreshable: boolean
}

function pollSo(run: Run, { pick, over, wrong, jwt, refreshable }: Manner) {
  const question = last(over ? run.model.questions.asked : open(run), pick)
  if (question === undefined) return undefined
  const { auth_req_id, grant, kind, record, settings } = question
  const bound_to = { client_id: record.client_id, kind, ...(wrong && { [wrong]: `wrong ${wrong}` }) }
  const redemption: WaitingRedemption = {
    ...{ bound_to, operation: run.newOperation(), ...settings },
    ...(jwt ? {} : { access_token: run.newToken(grant, 'access') }),
    ...(refreshable ? { refresh_token: run.newToken(grant, 'refresh') } : {}),
  }
  run.polls.push({ question, redemption })
  const expected = run.model.questions.poll(question, redemption)
  return { expected, send: (storage: Storage) => redeemWaiting(storage, auth_req_id, redemption) }
}

export const poll = attempt(
  'poll',
  fc.record({
    pick,
    over: seldom,
    wrong: fc.constantFrom<Manner['wrong'][]>(undefined, undefined, undefined, 'client_id', 'kind'),
    jwt: fc.boolean(),
    refreshable: seldom.map((no) => !no),
  }),
  pollSo,
)

/** Redeems what was asked last. */
export const pollRightly = attempt(
  'poll rightly',
  fc.boolean().map((jwt): Manner => ({ pick: 0, over: false, wrong: undefined, jwt, refreshable: true })),
  pollSo,
)

export const pollAgain = attempt('poll again', pick, (run, pick) => {
  const earlier = last(run.polls, pick)
  if (earlier === undefined) return undefined
  const { question, redemption } = earlier
  const expected = run.model.questions.poll(question, redemption)
  return { expected, send: (storage) => redeemWaiting(storage, question.auth_req_id, redemption) }
})

/** An API spends what a person allowed once: who comes second finds that it ended (`spend=true` of introspection). */
export const spend = attempt('spend', pick, (run, pick) => {
  const redeemed = run.model.questions.asked.filter(({ spent_by }) => spent_by !== undefined)
  const grant = last(redeemed, pick)?.grant
  if (grant === undefined) return undefined
  const expected = run.model.revokeGrant(grant)
  if (expected === 'ok') assert.ok(!run.spent.has(grant), `${grant} is spent once`)
  if (expected === 'ok') run.spent.add(grant)
  return { expected, send: (storage) => storage.families.revokeFamily(grant) }
})
