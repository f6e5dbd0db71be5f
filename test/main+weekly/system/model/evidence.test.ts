// Random histories of evidence, in memory and in Redis, compared with a model.
import fc from 'fast-check'
import t from 'tap'
import {
  EVIDENCE_PER_ACCOUNT,
  type Evidence,
  type EvidenceStore,
  evidenceTag,
  isAsExpected,
  type KeptEvidence,
  type Taken,
} from '../../../../src/storage/evidence.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { onRedis } from '../../../support/matrix.ts'

const RUNS = Number(process.env.MODEL_RUNS ?? 200)
const MAX_STEPS = 60
const FAR = Date.now() + 86_400_000

// One of them mostly, so that there are often too many.
const account = fc.constantFrom('alice', 'alice', 'alice', 'bob')
const bound = fc.record({
  purpose: fc.constantFrom('reset_password', 'verify_email'),
  browser: fc.integer({ min: 0, max: 40 }).map(String),
  value: fc.constantFrom('', 'alice@example.com'),
})
/** Which of the digests that were given so far, and one that never was. */
const which = fc.integer({ min: 0, max: MAX_STEPS })

const STEP = fc.oneof(
  { weight: 16, arbitrary: fc.record({ do: fc.constant('give'), account, bound, is_over: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('take'), account, which, bound, is_right: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end'), account, which, is_all: fc.boolean() }) },
) as fc.Arbitrary<Step>

type Bound = Pick<Evidence, 'purpose' | 'browser' | 'value'>
type Step =
  | { do: 'give'; account: string; bound: Bound; is_over: boolean }
  | { do: 'take'; account: string; which: number; bound: Bound; is_right: boolean }
  | { do: 'end'; account: string; which: number; is_all: boolean }

/** The rules of the store, in the plainest form. */
class Model {
  readonly kept = new Map<string, KeptEvidence>()

  give(digest: string, given: KeptEvidence): void {
    for (const [other, { purpose, browser }] of this.of(given.account))
      if (purpose === given.purpose && browser === given.browser) this.kept.delete(other)
    const others = this.of(given.account).sort(([, a], [, b]) => a.ends_at - b.ends_at)
    if (others.length >= EVIDENCE_PER_ACCOUNT) this.kept.delete(others[0]?.[0] ?? '')
    if (given.ends_at > Date.now()) this.kept.set(digest, given)
  }

  take(account: string, digest: string, expected: Evidence): Taken {
    const found = this.kept.get(digest)
    if (found?.account !== account) return 'missing'
    if (!isAsExpected(found, expected)) return 'refused'
    for (const [other, { purpose }] of this.of(account))
      if (purpose === found.purpose) this.kept.delete(other)
    return 'taken'
  }

  of(account: string): [string, KeptEvidence][] {
    return [...this.kept].filter(([, evidence]) => evidence.account === account)
  }
}

/** Takes the steps with accounts of their own, so that runs can share a storage. */
async function behaves(store: EvidenceStore, run: string, steps: readonly Step[]): Promise<void> {
  const model = new Model()
  const owner = (name: string) => `${name}-${run}`
  const digest = (index: number) => `digest-${run}-${index}`
  const given: KeptEvidence[] = []
  for (const [index, step] of steps.entries()) {
    const username = owner(step.account)
    const tag = evidenceTag(username)
    if (step.do === 'give') {
      const ends_at = step.is_over ? 1 : FAR + index
      const bound = { ...step.bound, step: 'choose', account_state: 'now' }
      const evidence = { ...bound, account: username, created_at: 0, ends_at }
      given.push(evidence)
      model.give(digest(given.length - 1), evidence)
      await store.give(digest(given.length - 1), evidence)
    } else if (step.do === 'take') {
      const right = step.is_right ? given[step.which] : undefined
      const expected = right ?? { ...step.bound, step: 'choose', account_state: 'now' }
      const result = await store.take(tag, digest(step.which), expected)
      const wanted = model.take(username, digest(step.which), expected)
      if (result !== wanted) throw new Error(`step ${index}: ${result}, not ${wanted}`)
    } else {
      await store.end(tag, step.is_all ? undefined : digest(step.which))
      for (const [other] of model.of(username))
        if (step.is_all || other === digest(step.which)) model.kept.delete(other)
    }
    for (const name of ['alice', 'bob'].map(owner)) {
      const listed = [...(await store.list(evidenceTag(name)))].sort()
      const wanted = model.of(name).sort()
      if (JSON.stringify(listed.map(([key]) => key)) !== JSON.stringify(wanted.map(([key]) => key)))
        throw new Error(`step ${index}: ${name} has ${listed.length}, not ${wanted.length}`)
    }
  }
}

async function holds(store: EvidenceStore, numRuns: number): Promise<void> {
  let run = 0
  const steps = fc.array(STEP, { maxLength: MAX_STEPS, size: 'max' })
  await fc.assert(
    fc.asyncProperty(steps, (steps) => behaves(store, String(++run), steps)),
    { numRuns },
  )
}

t.test('evidence in memory behaves as the model', async (t) => {
  await t.resolves(holds(new MemoryStorage().evidence, RUNS))
})

onRedis(t, 'evidence in Redis behaves as the model', async (t, { storage }) => {
  await t.resolves(holds(storage.evidence, Math.ceil(RUNS / 8)))
})
