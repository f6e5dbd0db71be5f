// Concurrent guesses, on one replica and on several, do not exceed the limit.
import type { Test } from 'tap'
import type { Storage } from '../../../../src/storage/storage.ts'
import { forEachStorage, type Limited, MAX, type StartLimited } from '../../../support/limits/service.ts'
import { observed } from '../../../support/observed.ts'

const STORM = 60

/** A storage that counts its calls by name. */
function watched(storage: Storage): { storage: Storage; calls: Map<string, number> } {
  const calls = new Map<string, number>()
  const watching = observed(storage, (call, run) => {
    calls.set(call, (calls.get(call) ?? 0) + 1)
    return run()
  })
  return { storage: watching, calls }
}

/** The number of responses by status. */
function tally(statuses: readonly number[]): Record<number, number> {
  const found: Record<number, number> = {}
  for (const status of statuses) found[status] = (found[status] ?? 0) + 1
  return found
}

/** Concurrent requests with wrong secrets, and the right one in the middle. */
async function storm(replicas: readonly Limited[]): Promise<{ wrong: number[]; right: number | undefined }> {
  const sent = Array.from({ length: STORM }, (_, i) => {
    const { ask } = replicas[i % replicas.length] as Limited
    const right = i === STORM / 2
    return ask(right ? {} : { client_secret: `wrong ${i}` }).then(({ status }) => ({ status, right }))
  })
  const answers = await Promise.all(sent)
  return {
    wrong: answers.filter(({ right }) => !right).map(({ status }) => status),
    right: answers.find(({ right }) => right)?.status,
  }
}

async function startReplicas(t: Test, start: StartLimited, open: (t: Test) => Storage, number: number) {
  const places = Array.from({ length: number }, () => watched(open(t)))
  const replicas = []
  for (const { storage } of places) replicas.push(await start({}, storage))
  const judged = () => places.reduce((sum, { calls }) => sum + (calls.get('countFailure') ?? 0), 0)
  return { replicas, judged }
}

forEachStorage(
  'concurrent guesses on one replica get no more attempts than consecutive ones',
  async (t, start, place) => {
    for (const known of [true, false]) {
      const { replicas, judged } = await startReplicas(t, start, place.open, 1)
      const [replica] = replicas as [Limited]
      if (known) t.equal((await replica.ask()).status, 200, 'the record is at hand')
      const { wrong, right } = await storm(replicas)
      t.strictSame(tally(wrong), { 401: MAX, 429: STORM - 1 - MAX })
      t.equal(right, 429, 'a right guess after the limit gets the same response')
      t.equal(judged(), MAX, 'the others were not checked')
      await replica.endWindows()
      t.equal((await replica.ask()).status, 200)

      for (let i = 0; i < MAX - 2; i += 1) await replica.guess()
      t.equal(tally((await storm(replicas)).wrong)[401], 2, 'as many as remained')
      await replica.endWindows()
    }
  },
)

forEachStorage(
  'concurrent guesses on several replicas: each replica checks at most the limit',
  async (t, start, place) => {
    const { replicas, judged } = await startReplicas(t, start, place.open, 3)
    for (const { ask } of replicas) t.equal((await ask()).status, 200)
    const { wrong } = await storm(replicas)
    t.equal(tally(wrong)[401], MAX, 'but they count together')
    t.ok(judged() >= MAX && judged() <= MAX * replicas.length, `${judged()} were looked at`)
    for (const { ask } of replicas) t.equal((await ask()).status, 429)
  },
)

forEachStorage(
  'consecutive guesses on several replicas: each further replica checks at most one',
  async (t, start, place) => {
    const { replicas, judged } = await startReplicas(t, start, place.open, 3)
    const [first, second, third] = replicas as [Limited, Limited, Limited]
    await first.exhaust()
    t.equal((await first.ask()).status, 429)
    t.equal((await second.ask()).status, 200, 'nothing has failed here yet')
    for (const { guess } of [second, third]) {
      for (let i = 0; i < 3; i += 1) t.equal(await guess(), 429)
    }
    t.equal(judged(), MAX + 2)
    for (const { ask } of replicas) t.equal((await ask()).status, 429, 'now all know')
    await first.endWindows()
    for (const { ask } of replicas) t.equal((await ask()).status, 200)
  },
)

forEachStorage('concurrent correct requests are all served', async (t, start) => {
  for (const failures of [0, MAX - 1]) {
    const { ask, guess } = await start()
    for (let i = 0; i < failures; i += 1) await guess()
    const answers = await Promise.all(Array.from({ length: STORM }, () => ask()))
    t.strictSame(tally(answers.map(({ status }) => status)), { 200: STORM }, `after ${failures} failures`)
  }
})
