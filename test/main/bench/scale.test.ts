// What the run of a large installation writes is what servers write, and they find nothing to repair.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { fill } from '../../../bench/scale/fill.ts'
import { clientIdOf, clientOf, personOf, usernameOf } from '../../../bench/scale/records.ts'
import { HOLDER, sharesOf } from '../../../bench/scale/sizes.ts'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../src/core/log.ts'
import { sessionLists } from '../../../src/sessions/session-lists.ts'
import { fitAll, listOf } from '../../../src/storage/indexes.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { grantLists } from '../../../src/tokens/grant-lists.ts'
import { grantsOf, readListedGrants } from '../../../src/tokens/listed-grants.ts'
import { insertUser } from '../../../src/users/new-user.ts'
import { userIndex } from '../../../src/users/user-index.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { patient } from '../../support/patient.ts'
import { createClient } from '../../support/records.ts'
import { startRedis } from '../../support/redis-server.ts'

const SIZES = { people: 100, clients: 12, grants: 500 }
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'c'.repeat(22)}$${'h'.repeat(43)}`

async function open(t: Test) {
  const { url } = await startRedis(t)
  const admin = new Redis(url)
  t.teardown(() => admin.disconnect())
  const keys = new RedisKeys('redmint:')
  const opened = openRedis({ kind: 'single', url }, keys, SILENT)
  t.teardown(() => opened.close())
  const storage = patient(opened)
  await storage.probe()
  return { url, admin, keys, storage }
}

/** All hashes and sorted sets whose keys have one of these beginnings, without the time of sign-ins. */
async function stored({ admin }: Awaited<ReturnType<typeof open>>, ...beginnings: readonly string[]) {
  const found = (await admin.keys('redmint:*')).filter((key) =>
    beginnings.some((beginning) => key.startsWith(`redmint:${beginning}`)),
  )
  const contents = found.sort().map(async (key) => {
    const is_hash = (await admin.type(key)) === 'hash'
    return [key, is_hash ? await admin.hgetall(key) : await admin.zrangebyscore(key, '-inf', '+inf')]
  })
  return Object.fromEntries(await Promise.all(contents))
}

t.test('people and clients are stored as servers store them', async (t) => {
  const [filled, made] = [await open(t), await open(t)]
  await fill({ ...filled, password_hash: HASH }, SIZES, () => {})
  const context = { storage: made.storage, report() {} }
  for (let client = 0; client < SIZES.clients; client++)
    await createClient(made.storage, clientIdOf(client), formatClient(clientOf(client)))
  for (let person = 0; person < SIZES.people; person++)
    await insertUser(context, usernameOf(person), personOf(person, HASH))
  const kinds = ['user:', 'client:', 'names:', 'words:', 'sign-in-name:']
  t.strictSame(await stored(filled, ...kinds), await stored(made, ...kinds))
  t.same(await filled.admin.zcard('redmint:last-sign-ins'), SIZES.people)
})

t.test('grants and sessions are in their lists, and end', async (t) => {
  const place = await open(t)
  const { admin, storage } = place
  const found = await fill({ ...place, password_hash: HASH }, SIZES, () => {})
  const shares = sharesOf(SIZES)
  const held = await readListedGrants(
    { storage, now: Date.now },
    grantsOf({ username: usernameOf(HOLDER) }),
    { limit: 100 },
  )
  t.equal(held.grants.length, shares.of_holder)
  const ending = (await admin.keys('redmint:*')).filter((key) =>
    /^redmint:(grant|token|session|index)/.test(key),
  )
  const ttls = await Promise.all(ending.map((key) => admin.pttl(key)))
  t.same(
    ending.filter((_, i) => (ttls[i] ?? 0) <= 0),
    [],
    'each of them ends by itself',
  )
  // So few sessions can take less than what Redis frees meanwhile.
  for (const { what, count, bytes } of found) t.ok(count > 0 && Number.isFinite(bytes), what)
  t.ok((found.find(({ what }) => what === 'person')?.bytes ?? 0) > 0)
  const indexes = [
    ...[CLIENT, USER].map((kind) => listOf(storage, kind)),
    userIndex(storage),
    sessionLists(storage),
    grantLists(storage, Date.now),
  ]
  const total = { added: 0, removed: 0 }
  for await (const { added, removed } of fitAll(storage, indexes)) {
    total.added += added
    total.removed += removed
  }
  t.same(total, { added: 0, removed: 0 })
})
