// Proofs of people in many requests at the same time, at two replicas, on each sort of Redis: each counts once. What changes
// the factors at the same time leaves no proof of before.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { RedisLocation } from '../../../../src/config/redis-location.ts'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { recoveryDigest } from '../../../../src/factors/recovery-codes.ts'
import { beginTotp, confirmTotp, newRecoveryCodes, removeTotp } from '../../../../src/factors/totp.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { takeJoin } from '../../../../src/self-service/join.ts'
import { giveResetLink, showReset } from '../../../../src/self-service/reset-password.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { appCode } from '../../../support/authenticator.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { linkIn } from '../../../support/link-in.ts'
import { effects, newPerson, proofs, type Replica, replicaOn } from '../../../support/proof/people.ts'
import { startCluster, startRedis, startSentinel } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

const ROUNDS = Number(process.env.STORM_ROUNDS ?? 4)
const WIDTH = 12
const STEP_MS = 30_000
const ASKER = { address: '192.0.2.1', user: 'somebody' }
const BROWSER = { digest: 'of-a-browser' }

interface Sea {
  readonly replicas: readonly [Replica, Replica]
  readonly clock: { ahead: number }
}

async function seaOn(t: Test, location: RedisLocation, wait_replicas = 0): Promise<Sea> {
  const [clock, prefix] = [{ ahead: 0 }, `${randomUUID()}:`]
  const open = async () => {
    const storage = openRedis(location, new RedisKeys(prefix), SILENT, wait_replicas)
    t.teardown(() => storage.close())
    await until('storage answers', () => storage.probe().then(...ANSWERS))
    return replicaOn(t, storage, clock)
  }
  return { replicas: [await open(), await open()], clock }
}

const ANSWERS = [() => true, () => false] as const

/** Does the same at both replicas in turn, all at once. */
const gather = <T>({ replicas }: Sea, act: (at: Replica, index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: WIDTH }, (_, index) => act(replicas[index % 2 === 0 ? 0 : 1], index)))

async function storms(t: Test, sea: Sea): Promise<void> {
  const [one, other] = sea.replicas
  for (const proof of proofs(sea.clock)) {
    await t.test(`${proof.name} counts once`, async (t) => {
      for (let round = 1; round <= ROUNDS; round++) {
        const username = await newPerson(one)
        const use = await proof.prepare(one, username)
        const before = await effects(one, username)
        const counted = (await gather(sea, use)).filter(Boolean)
        t.equal(counted.length, 1, `round ${round}`)
        t.notOk(await use(other), 'and not later')
        const after = await effects(other, username)
        for (const name of ['passkeys', 'guests'] as const) t.ok(after[name] - before[name] <= 1, name)
      }
    })
  }

  await t.test('an invitation counts as often as it says', async (t) => {
    const by = { kind: 'command', id: '' } as const
    const link = linkIn((await giveInvitation(one, { uses: 3, days: 1, groups: [], by })).url)
    const joined = await gather(sea, (at, index) =>
      takeJoin(at, link, { username: `several-${index}`, password: 'seven wet umbrellas' }, ASKER, BROWSER),
    )
    t.equal(joined.filter(({ page }) => page === 'done').length, 3)
  })

  await t.test(
    'changes of factors at the same time leave one set of codes, and no link of before',
    async (t) => {
      for (let round = 1; round <= ROUNDS; round++) {
        const username = await newPerson(one)
        const { begun, key } = await beginTotp(one, username)
        await confirmTotp(one, username, begun, appCode(key, one.now() - STEP_MS))
        const link = linkIn((await giveResetLink(one, username))?.url)
        const { factors: first } = await findFactors(one, username)
        const sets = await gather(sea, (at) => newRecoveryCodes(at, username))
        const { factors } = await findFactors(other, username)
        const of = (codes: readonly string[] = []) => codes.map((code) => recoveryDigest(username, code))
        const present = JSON.stringify(factors.recovery?.digests)
        t.equal(sets.filter((codes) => JSON.stringify(of(codes)) === present).length, 1, `round ${round}`)
        // What another one changed meanwhile is read anew by who asks again.
        t.equal(factors.generation, first.generation + sets.filter(Boolean).length, 'each change is one')
        t.equal((await showReset(other, link, BROWSER)).page, 'over')
        const removed = await gather(sea, (at) => removeTotp(at, username))
        t.equal(removed.filter(Boolean).length, 1, 'an app is removed once')
        t.strictSame((await gather(sea, (at) => newRecoveryCodes(at, username))).filter(Boolean), [])
      }
    },
  )
}

t.test('standalone', async (t) => {
  const { url } = await startRedis(t)
  await storms(t, await seaOn(t, { kind: 'single', url }))
})

t.test('cluster', async (t) => {
  const { masters } = await startCluster(t)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  await storms(t, await seaOn(t, { kind: 'cluster', nodes }))
})

t.test('sentinel', async (t) => {
  const { name, watchers, replicas: copies } = await startSentinel(t)
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const sea = await seaOn(t, { kind: 'sentinel', sentinels, name }, copies.length)
  await storms(t, sea)

  await t.test('what counted before a failover does not count after it, and what did not does', async (t) => {
    const [one, other] = sea.replicas
    // Codes are of the present step only.
    const lasting = proofs(sea.clock).filter(({ name }) => name !== 'a code')
    const prepared = await Promise.all(
      lasting.map(async (proof) => ({
        name: proof.name,
        spent: await proof.prepare(one, await newPerson(one)),
        kept: await proof.prepare(one, await newPerson(one)),
      })),
    )
    for (const { name, spent } of prepared) t.ok(await spent(one), name)
    const [heir] = copies
    await until(
      'a Sentinel begins',
      async () => watchers[0]?.cli('SENTINEL', 'FAILOVER', name).then(...ANSWERS) ?? false,
    )
    // A server that becomes the master closes connections.
    const answerOf = async (...command: string[]) => (await heir?.cli(...command).catch(() => '')) ?? ''
    await until('there is another master', async () => (await answerOf('ROLE')).startsWith('master'))
    await until('it has a copy', async () => (await answerOf('INFO', 'replication')).includes('state=online'))
    // Until both have found it.
    for (const { storage } of sea.replicas)
      await until('storage can be written to', async () => storage.probe().then(...ANSWERS))
    let known = 0
    for (const { name, spent, kept } of prepared) {
      t.notOk(await answered(() => spent(other)), `${name}: it was used`)
      // On a busy machine the replica can have it late: then the outcome is unknown, and it may count once more at most.
      const first = await kept(other).catch(unknownOutcome)
      if (first === undefined) continue
      known += 1
      t.ok(first, `${name}: it was not`)
      t.notOk(await answered(() => kept(one)), `${name}: now it was`)
    }
    t.ok(known > 0, 'some outcomes are known')
  })
})

/** Undefined stands for an outcome that storage does not know. */
function unknownOutcome(error: unknown): undefined {
  if (!(error instanceof StorageUnavailable)) throw error
}

/** Repeats what storage does not answer; only for what changes nothing. */
async function answered(ask: () => Promise<boolean>): Promise<boolean> {
  let answer: boolean | undefined
  await until('storage answers', async () => {
    answer = await ask().catch(unknownOutcome)
    return answer !== undefined
  })
  return answer ?? false
}
