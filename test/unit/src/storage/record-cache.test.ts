import t from 'tap'
import type { Watcher } from '../../../../src/storage/changes.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { RecordCache } from '../../../../src/storage/record-cache.ts'
import type { KindName } from '../../../../src/storage/records.ts'

const KIND: KindName = { name: 'thing' }

/** A cache of things in a storage that reports changes while `live` is true. */
function open(max_size?: number) {
  const stored = new Map<string, { text: string }>()
  const reads: string[] = []
  const control = { live: true, hold: Promise.resolve(), fault: false }
  let watcher: Watcher | undefined
  const changes = {
    watch: (_kind: KindName, given: Watcher) => {
      watcher = given
    },
    isLive: () => control.live,
  }
  const load = async (id: string) => {
    reads.push(id)
    const record = stored.get(id)
    await control.hold
    if (control.fault) throw new StorageUnavailable('away')
    return record
  }
  const cache = new RecordCache(changes, KIND, load, max_size)
  const write = (id: string, text: string) => {
    stored.set(id, { text })
    watcher?.changed(id)
  }
  return {
    cache,
    control,
    stored,
    write,
    allChanged: () => watcher?.allChanged(),
    taken: () => reads.splice(0),
  }
}

t.test('a record is read once until it is reported as changed', async (t) => {
  const { cache, write, allChanged, taken } = open()
  write('a', 'one')
  t.equal(cache.cached('a'), undefined)
  for (let i = 0; i < 3; i++) t.match(await cache.find('a'), { text: 'one' })
  t.match(cache.cached('a'), { text: 'one' })
  t.strictSame(taken(), ['a'])
  write('a', 'two')
  t.match(await cache.find('a'), { text: 'two' })
  allChanged()
  t.match(await cache.find('a'), { text: 'two' })
  t.strictSame(taken(), ['a', 'a'])
})

t.test('a missing record is not kept', async (t) => {
  const { cache, taken } = open()
  t.equal(await cache.find('a'), undefined)
  t.equal(await cache.find('a'), undefined)
  t.strictSame(taken(), ['a', 'a'])
})

t.test('while changes are not reported, each look-up reads storage', async (t) => {
  const { cache, control, write, stored, taken } = open()
  write('a', 'one')
  await cache.find('a')
  control.live = false
  stored.set('a', { text: 'two' })
  t.match(await cache.find('a'), { text: 'two' })
  t.equal(cache.cached('a'), undefined)
  t.strictSame(taken(), ['a', 'a'])
})

t.test('a record that is read while changes are not reported is not kept', async (t) => {
  for (const [before, after] of [
    [false, true],
    [true, false],
  ] as const) {
    const { cache, control, stored, taken } = open()
    stored.set('a', { text: 'one' })
    control.live = before
    const found = cache.find('a')
    control.live = after
    t.match(await found, { text: 'one' })
    control.live = true
    stored.set('a', { text: 'two' })
    t.match(await cache.find('a'), { text: 'two' })
    t.strictSame(taken(), ['a', 'a'])
  }
})

t.test('concurrent look-ups share one read', async (t) => {
  const { cache, write, taken } = open()
  write('a', 'one')
  const found = await Promise.all([cache.find('a'), cache.find('a'), cache.read('a')])
  t.match(found, [{ text: 'one' }, { text: 'one' }, { text: 'one' }])
  t.strictSame(taken(), ['a'])
})

t.test('a record that changes while it is read is not kept', async (t) => {
  for (const change of ['changed', 'allChanged'] as const) {
    const { cache, control, write, allChanged } = open()
    write('a', 'one')
    let release = () => {}
    control.hold = new Promise((resolve) => {
      release = resolve
    })
    const early = cache.find('a')
    if (change === 'changed') write('a', 'two')
    else allChanged()
    const late = cache.find('a')
    release()
    await early
    t.match(await late, { text: change === 'changed' ? 'two' : 'one' }, 'a later look-up reads anew')
    t.match(await cache.find('a'), { text: change === 'changed' ? 'two' : 'one' })
  }
})

t.test('an error is passed on and not kept', async (t) => {
  const { cache, control, write } = open()
  write('a', 'one')
  control.fault = true
  await t.rejects(Promise.all([cache.find('a'), cache.find('a')]), StorageUnavailable)
  control.fault = false
  t.match(await cache.find('a'), { text: 'one' })
})

t.test('a bounded size of records is kept, those that were used last', async (t) => {
  const { cache, write, taken } = open(2 * JSON.stringify({ text: 'a' }).length)
  for (const id of ['a', 'b', 'c']) write(id, id)
  await cache.find('a')
  await cache.find('b')
  await cache.find('a')
  await cache.find('c')
  t.strictSame(taken(), ['a', 'b', 'c'])
  await cache.find('a')
  await cache.find('c')
  t.strictSame(taken(), [], 'a was used after b')
  await cache.find('b')
  t.strictSame(taken(), ['b'])
})

t.test('a record that is larger than all that may be kept takes no room', async (t) => {
  const { cache, write, taken } = open(100)
  write('small', 'x')
  write('large', 'x'.repeat(100))
  for (const id of ['small', 'large', 'small', 'large']) t.ok(await cache.find(id))
  t.strictSame(taken(), ['small', 'large', 'large'])
})

t.test('an id with a lone surrogate is the one that storage reports', async (t) => {
  const { cache, write } = open()
  write('\ufffd', 'one')
  t.match(await cache.find('\ud800'), { text: 'one' })
  write('\ufffd', 'two')
  t.match(await cache.find('\ud800'), { text: 'two' })
})
