// The contract of records of any kind: a new kind needs no new storage code.
import type { Test } from 'tap'
import { FieldReader, type Hash } from '../../../src/core/record-hash.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { type Kind, recordOf, type UsableKind, write } from '../../../src/storage/records.ts'
import { expiryOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

interface Device {
  readonly user_code: string
  readonly status: string
}

/** Like a device authorization request (RFC 8628): taken once, in the hash slot of the tokens issued for it. */
const DEVICE: Kind<Device> = {
  name: 'device',
  slot: 'family',
  format: ({ user_code, status }) => ({ user_code, status }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const record = { user_code: fields.required('user_code'), status: fields.required('status') }
    return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
  },
}

/** Like the ids of assertions (RFC 7523 §3): each may be used once. */
const ASSERTION: Kind<{ readonly client_id: string }> = {
  name: 'assertion',
  format: ({ client_id }) => ({ client_id }),
  parse: ({ client_id = '' }) => ({ ok: true, record: { client_id } }),
}

/** A kind that may have many fields. */
const TALLY: Kind<Hash> = {
  name: 'tally',
  format: (hash) => hash,
  parse: (hash) => ({ ok: true, record: hash }),
}
/** Like an initial access token (RFC 7591 §3): with a number of uses. */
const VOUCHER: Kind<Hash> & UsableKind = { ...TALLY, name: 'voucher', uses_left: 'left' }
const MANY_FIELDS = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`counted:${i}`, `${i}`]))

const PENDING = { user_code: 'WDJB-MJHT', status: 'pending' }

export async function kindContract(t: Test, make: Make): Promise<void> {
  await t.test('a record of any kind can be written, read, changed, and taken once', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    const id = newToken(newFamilyId())
    t.equal(await records.read(DEVICE, id), undefined)
    await records.put(write(DEVICE, id, PENDING, 60))
    t.strictSame(recordOf(await records.read(DEVICE, id)), PENDING)
    const approve = { set: { status: 'approved' }, expected: { status: 'pending' } }
    t.equal(await records.change(DEVICE, id, approve), 'ok')
    t.equal(await records.change(DEVICE, id, approve), 'missing', 'it no longer has the expected values')
    const takes = await Promise.all(Array.from({ length: 10 }, () => records.take(DEVICE, id)))
    const taken = takes.filter((found) => found !== undefined)
    t.strictSame(taken.map(recordOf), [{ ...PENDING, status: 'approved' }], 'one of ten callers gets it')
    t.equal(await records.read(DEVICE, id), undefined)
    t.equal(await records.change(DEVICE, id, { set: { status: 'x' } }), 'missing')
    t.equal(await records.take(DEVICE, id), undefined)
  })

  await t.test(
    'records of one hash slot are written atomically, and replaced by others when taken',
    async (t) => {
      const { storage } = await make(t)
      const { records } = storage
      const family = newFamilyId()
      const [one, two, three] = [newToken(family), newToken(family), newToken(family)]
      await records.put(write(DEVICE, one, PENDING, 60), write(DEVICE, two, PENDING, 60))
      const approved = { ...PENDING, status: 'approved' }
      const results = await Promise.all([
        records.take(DEVICE, one, write(DEVICE, three, approved, 60)),
        records.take(DEVICE, one, write(DEVICE, three, { ...approved, user_code: 'late' }, 60)),
      ])
      t.equal(results.filter((found) => found !== undefined).length, 1)
      const { user_code } = recordOf(await records.read(DEVICE, three)) ?? {}
      t.equal(
        user_code,
        results[0] === undefined ? 'late' : PENDING.user_code,
        'the records of the caller who took it were written',
      )
      t.equal(await records.take(DEVICE, newToken(family), write(DEVICE, two, approved, 60)), undefined)
      t.strictSame(
        recordOf(await records.read(DEVICE, two)),
        PENDING,
        'taking a missing record writes nothing',
      )
      await t.rejects(
        records.take(DEVICE, two, write(DEVICE, newToken(newFamilyId()), approved, 60)),
        TypeError,
      )
      t.strictSame(
        recordOf(await records.read(DEVICE, two)),
        PENDING,
        'a record of another hash slot is refused',
      )
    },
  )

  await t.test('a record can be taken and replaced in one step', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    const id = newToken(newFamilyId())
    const later = (status: string) => write(DEVICE, id, { ...PENDING, status }, 60)
    t.equal(await records.take(DEVICE, id, later('first')), undefined, 'nothing replaces a missing record')
    t.equal(await records.read(DEVICE, id), undefined)
    await records.put(write(DEVICE, id, PENDING, 60))
    await records.change(DEVICE, id, { set: { joined: 'late' } })
    const statuses = ['first', 'second', 'third']
    const taken = await Promise.all(statuses.map((status) => records.take(DEVICE, id, later(status))))
    t.strictSame(
      taken.map((found) => found?.hash.status).concat((await records.read(DEVICE, id))?.hash.status),
      [PENDING.status, ...statuses],
      'each caller gets what the one before wrote',
    )
    t.strictSame((await records.read(DEVICE, id))?.hash, later('third').hash, 'and nothing of it stays')
  })

  await t.test(
    'a record is used as often as it says, by many at once, with what each use writes',
    async (t) => {
      const { storage } = await make(t)
      const { records } = storage
      const [one, other] = ['{slot}:one', '{slot}:other']
      const written = (i: number) => write(TALLY, `{slot}:${i}`, { i: `${i}` }, 60)
      for (const kind of [VOUCHER, { ...VOUCHER, stays_used: true } as const]) {
        for (const id of [one, other]) await records.put(write(VOUCHER, id, { left: '3', by: 'alice' }, 60))
        const many = Array.from({ length: 10 }, (_, i) => records.use(kind, one, 1, written(i)))
        const outcomes = await Promise.all(many)
        t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 3)
        for (const [i, outcome] of outcomes.entries())
          t.equal((await records.take(TALLY, `{slot}:${i}`)) !== undefined, outcome === 'ok')
        const left = (await records.read(VOUCHER, one))?.hash
        t.strictSame(left, kind.stays_used && { left: '0', by: 'alice' })
        const back = [1, 2].map(() => records.use(kind, one, -1))
        t.strictSame(new Set(await Promise.all(back)), new Set([kind.stays_used ? 'ok' : 'missing']))
        t.equal((await records.read(VOUCHER, one))?.hash.left, kind.stays_used && '2', 'nothing is made anew')
        t.strictSame((await records.read(VOUCHER, other))?.hash, { left: '3', by: 'alice' })
      }
    },
  )

  await t.test('a record whose uses somebody wrote wrongly has none', async (t) => {
    const { records } = (await make(t)).storage
    for (const left of ['x', '-1', '', 'nan', '0']) {
      await records.put(write(VOUCHER, 'wrong', { left }, 60))
      t.equal(await records.use(VOUCHER, 'wrong', 1), 'missing', left)
      t.equal(await records.use({ ...VOUCHER, uses_left: 'none' }, 'wrong', -1), 'missing')
      t.strictSame((await records.read(VOUCHER, 'wrong'))?.hash, { left })
    }
  })

  await t.test('records of a kind are forgotten by their fields, whatever their slot', async (t) => {
    const { records } = (await make(t)).storage
    const ids = [newToken(newFamilyId()), newToken(newFamilyId()), newToken(newFamilyId())] as const
    const states = ['pending', 'approved', 'pending']
    for (const [index, id] of ids.entries())
      await records.put(write(DEVICE, id, { ...PENDING, status: states[index] ?? '' }, 60))
    await records.put(write(VOUCHER, 'v', { left: '1', status: 'pending' }))
    const isPending = ({ status }: Hash) => status === 'pending'
    t.equal(await records.forget(DEVICE, isPending), 2)
    const left = await Promise.all(ids.map(async (id) => (await records.read(DEVICE, id)) !== undefined))
    t.strictSame(left, [false, true, false])
    t.ok(await records.read(VOUCHER, 'v'), 'of this kind alone')
    t.equal(await records.forget(DEVICE, isPending), 0)
  })

  await t.test('put replaces the whole record and its expiry', async (t) => {
    const subject = await make(t)
    const { storage, redis, advance } = subject
    const { records } = storage
    const id = newToken(newFamilyId())
    await records.put({ kind: DEVICE, id, hash: { ...PENDING, old: 'x', older: 'y' }, ttl: 0.2 })
    await records.put(write(DEVICE, id, PENDING, 60))
    t.strictSame((await records.read(DEVICE, id))?.hash, PENDING)
    const key = `device:{${id.replace('.', '}.')}`
    if (redis) t.ok((await expiryOf(redis, key)) > Date.now() + 10_000, 'the new expiry applies')
    advance?.(1)
    t.strictSame((await records.read(DEVICE, id))?.hash, PENDING, 'the new expiry applies')
    await records.put(write(DEVICE, id, PENDING))
    if (redis) t.equal(await expiryOf(redis, key), -1, 'no ttl, no expiry')
    await records.put(write(DEVICE, id, PENDING, 0.2))
    await pass(subject, 0.3, async () => (await records.read(DEVICE, id)) === undefined)
  })

  await t.test('create writes all records or none, and never overwrites', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    const use = (jti: string) => records.create(write(ASSERTION, jti, { client_id: 'app' }, 60))
    t.strictSame(await Promise.all([use('a'), use('a'), use('b')]).then((all) => all.sort()), [
      'exists',
      'ok',
      'ok',
    ])
    const family = newFamilyId()
    const [one, two] = [newToken(family), newToken(family)]
    await records.put(write(DEVICE, one, PENDING, 60))
    t.equal(await records.create(write(DEVICE, two, PENDING, 60), write(DEVICE, one, PENDING, 60)), 'exists')
    t.equal(await records.read(DEVICE, two), undefined, 'none of them is written')
  })

  await t.test('some fields of a record are read, whatever else it has', async (t) => {
    const subject = await make(t)
    const { records } = subject.storage
    const hash = { ...PENDING, empty: '', ['__proto__']: 'x', ...MANY_FIELDS }
    await records.put({ kind: TALLY, id: 'a', hash, ttl: 100 })
    const fields = async (...fields: string[]) => (await records.read(TALLY, 'a', { fields }))?.hash
    t.strictSame(await fields('status', 'empty', 'missing'), { status: 'pending', empty: '' })
    t.strictSame(Object.entries((await fields('__proto__')) ?? {}), [['__proto__', 'x']])
    t.equal(await fields('missing', 'constructor'), undefined, 'it has none of them')
    await records.put({ kind: TALLY, id: 'small', hash: PENDING, ttl: 100 })
    const small = await records.read(TALLY, 'small', { fields: ['status', 'missing'] })
    t.strictSame(small?.hash, { status: 'pending' }, 'a small record')
    t.equal(await records.read(TALLY, 'b', { fields: ['status'] }), undefined)
    t.match(await records.read(DEVICE, 'no token string', { fields: ['status'] }), undefined)
    // It expires as before, unless the reading extends it.
    if (subject.redis) t.ok((await expiryOf(subject.redis, 'tally:a')) < Date.now() + 100_500)
    await records.read(TALLY, 'a', { fields: ['status'], idle_ttl: 300 })
    if (subject.redis) t.ok((await expiryOf(subject.redis, 'tally:a')) > Date.now() + 200_000)
    subject.advance?.(200)
    t.strictSame(await fields('status'), { status: 'pending' }, 'reading it extended it')
  })

  await t.test('reading a malformed record returns its problems and its fields', async (t) => {
    const { storage } = await make(t)
    const id = newToken(newFamilyId())
    await storage.records.put({ kind: DEVICE, id, hash: { user_code: 'X' }, ttl: 60 })
    t.strictSame(await storage.records.read(DEVICE, id), {
      ok: false,
      problems: [{ field: 'status', problem: 'is missing' }],
      hash: { user_code: 'X' },
    })
  })

  await t.test('kinds in a family slot need a token string as id', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    for (const id of ['', 'x', '__proto__', newFamilyId(), `${newToken(newFamilyId())} `]) {
      t.equal(await records.read(DEVICE, id), undefined)
      t.equal(await records.change(DEVICE, id, { set: { status: 'x' } }), 'missing')
      t.equal(await records.take(DEVICE, id), undefined)
      await t.rejects(records.put(write(DEVICE, id, PENDING, 60)), TypeError)
      await t.rejects(records.create(write(DEVICE, id, PENDING, 60)), TypeError)
    }
    await t.rejects(records.put({ kind: ASSERTION, id: 'a', hash: {}, ttl: 60 }), TypeError, 'no fields')
  })
}
