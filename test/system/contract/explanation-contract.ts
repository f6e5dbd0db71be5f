// The contract of explanations: bounded in number and time, and one kind cannot push out the others.
import type { Test } from 'tap'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const LIMITS = { max: 6, per_kind: 3, ttl: 60_000 }
const NONE = new Map<string, number>()
const by = (owner: string, kind: string, ...ids: readonly string[]) =>
  ids.map((id) => ({ id, kind, owner, text: `"${id}" ü` }))
const of = (kind: string, ...ids: readonly string[]) => by(`owner-of-${kind.split(' ')[0]}`, kind, ...ids)

export async function explanationContract(t: Test, make: Make): Promise<void> {
  await t.test('an explanation is found by its id, and the newest are listed first', async (t) => {
    const { explanations } = (await make(t)).storage
    await explanations.keep([...of('kind web', 'a', 'b'), ...of('kind', 'c')], NONE, LIMITS)
    t.equal(await explanations.find('b'), '"b" ü')
    t.equal(await explanations.find('d'), undefined)
    await explanations.keep(of('other', 'd'), NONE, LIMITS)
    const listed = await explanations.list(10)
    t.equal(listed[0], '"d" ü')
    t.strictSame([...listed].sort(), ['"a" ü', '"b" ü', '"c" ü', '"d" ü'])
    t.equal((await explanations.list(2)).length, 2)
  })

  await t.test('whoever repeats an id changes nothing', async (t) => {
    const { explanations } = (await make(t)).storage
    await explanations.keep(of('kind', 'a'), NONE, LIMITS)
    await explanations.keep([{ id: 'a', kind: 'other', owner: 'other', text: 'forged' }], NONE, LIMITS)
    t.strictSame(await explanations.list(10), ['"a" ü'])
  })

  await t.test('one kind keeps its newest, and pushes out nothing else', async (t) => {
    const subject = await make(t)
    const { explanations } = subject.storage
    await explanations.keep([...of('one', '1'), ...of('two', '2'), ...of('three', '3')], NONE, LIMITS)
    for (let i = 0; i < 50; i++) await explanations.keep(of('flood', `f${i}`), NONE, LIMITS)
    for (const id of ['1', '2', '3', 'f49', 'f48', 'f47']) t.ok(await explanations.find(id), id)
    t.equal((await explanations.list(100)).length, LIMITS.max)
    await explanations.keep(of('four', '4'), NONE, LIMITS)
    t.ok(await explanations.find('4'), 'a new kind finds room')
    await explanations.keep(of('flood', 'f50', 'f51'), NONE, LIMITS)
    for (const id of ['2', '3', '4', 'f51']) t.ok(await explanations.find(id), id)
    t.equal((await explanations.list(100)).length, LIMITS.max)
    if (subject.redis === undefined) return
    const { cli, prefix } = subject.redis
    t.equal(await cli('HLEN', `${prefix}explanations:{explanations}`), '6')
    t.equal(await cli('ZCARD', `${prefix}explanations-order:{explanations}`), '6')
    t.match(
      await cli('HGET', `${prefix}explanations-kinds:{explanations}`, 'flood'),
      /^0 owner-of-flood (f\d+ )?f50 f51$/,
    )
  })

  await t.test('without room whoever has most makes it, however many kinds an owner makes', async (t) => {
    const subject = await make(t)
    const { explanations } = subject.storage
    await explanations.keep([...by('web', 'one', '1'), ...by('shop', 'two', '2', '3')], NONE, LIMITS)
    for (let i = 0; i < 50; i++) await explanations.keep(by('strangers', `kind ${i}`, `s${i}`), NONE, LIMITS)
    for (const id of ['1', '2', '3', 's49', 's48', 's47']) t.ok(await explanations.find(id), id)
    t.equal((await explanations.list(100)).length, LIMITS.max)
    await explanations.keep(by('new', 'three', '4'), NONE, LIMITS)
    for (const id of ['1', '2', '3', '4', 's49', 's48']) t.ok(await explanations.find(id), id)
    t.notOk(await explanations.find('s47'), 'the oldest of whoever has most')
    const many = Array.from({ length: 40 }, (_, i) => by('strangers', `more ${i}`, `m${i}`)).flat()
    await explanations.keep(many, NONE, LIMITS)
    for (const id of ['1', '2', '3', '4']) t.ok(await explanations.find(id), `${id} beside a batch`)
    if (subject.redis === undefined) return
    const { cli, prefix } = subject.redis
    const owners = await cli('ZRANGE', `${prefix}explanations-owners:{explanations}`, '0', '-1', 'WITHSCORES')
    t.strictSame(owners.split(/\s+/), ['new', '1', 'web', '1', 'shop', '2', 'strangers', '2'])
    t.equal(await cli('ZCARD', `${prefix}explanations-lines:{explanations}`), '6')
  })

  await t.test('what an owner repeats makes room before what it did once', async (t) => {
    const { explanations } = (await make(t)).storage
    await explanations.keep(by('web', 'once', '1'), NONE, LIMITS)
    for (let i = 0; i < 50; i++)
      await explanations.keep(
        ['wrong', 'limited'].flatMap((kind) => by('web', kind, `${kind}-${i}`)),
        NONE,
        LIMITS,
      )
    await explanations.keep(by('shop', 'two', '2'), NONE, LIMITS)
    for (const id of ['1', '2']) t.ok(await explanations.find(id), id)
    t.equal((await explanations.list(100)).length, LIMITS.max)
  })

  await t.test('a kind has one owner while there is one of it', async (t) => {
    const { explanations } = (await make(t)).storage
    await explanations.keep(by('strangers', 'kind', 'a'), NONE, LIMITS)
    await explanations.keep(by('web', 'kind', 'b', 'c', 'd'), NONE, LIMITS)
    t.notOk(await explanations.find('a'))
    for (let i = 0; i < 9; i++) await explanations.keep(by('other', `kind ${i}`, `o${i}`), NONE, LIMITS)
    for (const id of ['b', 'c', 'd', 'o8', 'o7']) t.ok(await explanations.find(id), id)
    t.equal((await explanations.list(100)).length, LIMITS.max)
  })

  await t.test('what is not kept is counted with its kind, while there is one', async (t) => {
    const { explanations } = (await make(t)).storage
    await explanations.keep(of('kind', 'a'), new Map(Object.entries({ kind: 5, other: 7 })), LIMITS)
    await explanations.keep([], new Map([['kind', 2]]), LIMITS)
    t.equal(await explanations.countMore('kind'), 7)
    t.equal(await explanations.countMore('other'), 0, 'a kind without a record has no count')
    await explanations.keep(of('kind', 'b'), NONE, LIMITS)
    t.equal(await explanations.countMore('kind'), 7)
  })

  await t.test('explanations end, and nothing stays without an end', async (t) => {
    const subject = await make(t)
    const { explanations } = subject.storage
    await explanations.keep(of('kind', 'a'), new Map([['kind', 2]]), { ...LIMITS, ttl: 1000 })
    await explanations.keep(of('other', 'b'), NONE, LIMITS)
    if (subject.redis !== undefined) {
      const names = await keysOf(subject.redis)
      t.equal(names.filter((name) => name.startsWith('explanations')).length, 5)
      for (const name of names) t.ok((await expiryOf(subject.redis, name)) > 0, name)
    }
    await pass(subject, 1.1, async () => {
      await explanations.keep(of('third', 'c'), NONE, LIMITS)
      return (await explanations.find('a')) === undefined
    })
    t.equal(await explanations.countMore('kind'), 0)
    t.ok(await explanations.find('b'))
  })
}
