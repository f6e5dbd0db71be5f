// Every command with which a proof of a person is used meets every fault: the person is told that nobody knows, or that it
// counted; it counts once at most, and where it was lost, another one counts.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { FAULTS, type Fault, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import {
  effects,
  newPerson,
  type Proof,
  proofs,
  type Replica,
  replicaOn,
} from '../../../support/proof/people.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { until } from '../../../support/until.ts'

// Most of the time is spent waiting for the driver's timeouts.
t.jobs = 8
const MOST_COMMANDS = 20
/** When a delayed command runs. */
const RELEASES = ['before the next attempt', 'after it'] as const

const { port, url } = await startRedis(t)

for (const fault of FAULTS) {
  for (const release of fault === 'command late' ? RELEASES : RELEASES.slice(0, 1)) {
    t.test(`${fault}, ${release}`, { buffered: true }, async (t) => {
      const [proxy, clock, prefix] = [await FaultProxy.open(t, port), { ahead: 0 }, `${randomUUID()}:`]
      const open = (url: string) => {
        const storage = redisStorage(t, { url }, prefix)
        return replicaOn(t, storage, clock)
      }
      const place = { proxy, faulty: await open(proxy.url), other: await open(url), fault, release }
      for (const proof of proofs(clock)) {
        let n = 1
        while (n < MOST_COMMANDS && (await suffer(t, place, proof, n))) n += 1
        t.ok(n > 1 && n < MOST_COMMANDS, `${proof.name} has commands that can fail`)
      }
    })
  }
}

interface Place {
  readonly proxy: FaultProxy
  readonly faulty: Replica
  readonly other: Replica
  readonly fault: Fault
  readonly release: (typeof RELEASES)[number]
}

/** Uses a proof with a fault at its n-th command, and again at both replicas. Returns whether there was such a command. */
async function suffer(t: Test, place: Place, proof: Proof, n: number): Promise<boolean> {
  const { proxy, faulty, other, fault, release } = place
  const username = await newPerson(other)
  const use = await proof.prepare(other, username)
  const before = await effects(other, username)
  await until('storage answers', () => faulty.storage.probe().then(...ANSWERS))

  proxy.arm(fault, n)
  const first = await outcomeOf(() => use(faulty))
  const { hit } = proxy
  proxy.disarm()
  const what = `${proof.name}, command ${n} (${hit.join(', ')})`
  t.not(first, 'refused', `${what}: nobody is told that it is wrong`)
  if (release === 'before the next attempt') proxy.release()
  const second = await outcomeOf(() => use(other))
  proxy.release()
  await until('storage answers', () => faulty.storage.probe().then(...ANSWERS))
  const outcomes = [first, second, await outcomeOf(() => use(other)), await outcomeOf(() => use(faulty))]
  const counted = outcomes.filter((outcome) => outcome === 'counted').length
  t.ok(counted <= 1, `${what}: it counts once: ${outcomes.join(', ')}`)
  const after = await effects(other, username)
  for (const name of ['passkeys', 'guests'] as const)
    t.ok(after[name] - before[name] <= 1, `${what}: ${after[name] - before[name]} ${name}`)
  if (counted === 0) {
    const anew = await proof.prepare(other, username)
    t.equal(await outcomeOf(() => anew(faulty)), 'counted', `${what}: another one counts`)
  }
  return hit.length > 0
}

const ANSWERS = [() => true, () => false] as const

async function outcomeOf(use: () => Promise<boolean>): Promise<'counted' | 'refused' | 'unavailable'> {
  try {
    return (await use()) ? 'counted' : 'refused'
  } catch (error) {
    if (error instanceof StorageUnavailable) return 'unavailable'
    throw error
  }
}
