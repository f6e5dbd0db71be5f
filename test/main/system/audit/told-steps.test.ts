// The check of the proofs that a change and its entry of the audit trail are never one without the other: it finds both faults.
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { makeStep, prepareStep, TOLD_STEPS, unfitSteps } from '../../../support/proof/told-steps.ts'

const NAMES = Object.keys(TOLD_STEPS)

/** Scripts of the trail itself: there is no change besides. */
const OF_TRAIL = ['append-trail', 'trim-trail']

t.test('each script that takes an entry along has a step in the proofs (J2)', async (t) => {
  const folder = new URL('../../../../src/storage/redis/scripts/', import.meta.url)
  const files = (await readdir(folder)).filter((file) => file.endsWith('.lua'))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  const taking = files.filter((_, i) => /^-- args: .*\bentries\b/m.test(texts[i] ?? ''))
  const proven = Object.values(TOLD_STEPS).map(({ script }) => `${script}.lua`)
  t.strictSame(taking.sort(), [...proven, ...OF_TRAIL.map((name) => `${name}.lua`)].sort())
})

t.test('what is whole is fit', async (t) => {
  const storage = new MemoryStorage()
  for (const name of NAMES) {
    await prepareStep(storage, name, name)
    await makeStep(storage, name, name)
  }
  const prepared = new Map(NAMES.map((name) => [name, name]))
  t.strictSame(await unfitSteps(storage, prepared), [])
  for (const name of NAMES) {
    await prepareStep(storage, name, `${name}-only`)
    prepared.set(`${name}-only`, name)
  }
  t.strictSame(await unfitSteps(storage, prepared), [], 'what was not made has none')
})

for (const name of NAMES) {
  t.test(`${name}: a change without its entry, an entry without its change, and one twice`, async (t) => {
    const storage = new MemoryStorage()
    const steps = new Map(['untold', 'unmade', 'twice'].map((id) => [id, name]))
    for (const id of steps.keys()) await prepareStep(storage, name, id)
    // As a build would that forgets the entry in the step.
    await TOLD_STEPS[name]?.make(storage, 'untold', { entries: [], ttl: 600 })
    await storage.trail.append('batch', { entries: [{ text: 'unmade' }, { text: 'twice' }], ttl: 600 })
    await makeStep(storage, name, 'twice')
    t.strictSame(await unfitSteps(storage, steps), [
      `${name} untold: made true, 0 entries`,
      `${name} unmade: made false, 1 entries`,
      `${name} twice: made true, 2 entries`,
    ])
  })
}
