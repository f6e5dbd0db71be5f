// What an explanation shows: the nearest of what was expected, what was passed before, and only what redmint wrote.
import t from 'tap'
import { comparedFacts, differencesOf } from '../../../../src/explain/compare.ts'
import { explain, listExplanations } from '../../../../src/explain/explanation.ts'
import { passedBefore } from '../../../../src/explain/passed.ts'
import { kindOf, parseRecord, type RefusalRecord, recordFrom } from '../../../../src/explain/record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'

const RECORD: RefusalRecord = {
  id: 'an-id',
  at: '2026-11-28T12:00:00.000Z',
  endpoint: 'authorize',
  reason: 'redirect_uri_unregistered',
}

t.test('what was received is beside what was expected, whatever name that has', (t) => {
  for (const [received, expected, compared] of [
    [
      { redirect_uri: 'x' },
      { redirect_uris: ['y'] },
      [{ name: 'redirect_uri', received: 'x', expected: ['y'] }],
    ],
    [{ scopes: ['a'] }, { allowed_scopes: ['b'] }, [{ name: 'scopes', received: ['a'], expected: ['b'] }]],
    [
      { characters: 300 },
      { characters_at_most: 255 },
      [{ name: 'characters', received: 300, expected: 255, bound: 'at_most' }],
    ],
    [
      { resource: 'a', resources: 2 },
      { resources: 1 },
      [
        { name: 'resource', received: 'a' },
        { name: 'resources', received: 2, expected: 1 },
      ],
    ],
    [{}, { header: 'DPoP' }, [{ name: 'header', expected: 'DPoP' }]],
    [{ sub: 'a' }, {}, [{ name: 'sub', received: 'a' }]],
  ] as const)
    t.strictSame(comparedFacts(received, expected), compared)
  t.end()
})

t.test('what was received is beside the nearest of what was expected', async (t) => {
  for (const [received, expected, difference] of [
    ['https://a.example/cb', ['https://a.example/CB', 'https://b.example/'], ['https://a.example/CB', 18]],
    ['https://a.example/', ['https://a.example/cb'], ['https://a.example/cb', 18]],
    // Alone it is what was expected, however far away it is.
    ['https://other.example/x', ['urn:y'], ['urn:y', 0]],
    ['https://other.example/x', ['urn:y', 'urn:z'], undefined],
    ['https://a.example/cb', ['https://a.example/cb'], undefined],
    ['https://a.example/cb', [], undefined],
  ] as const) {
    const wanted = difference && {
      name: 'redirect_uri',
      received,
      expected: difference[0],
      at: difference[1],
    }
    const found = differencesOf({ redirect_uri: received }, { redirect_uris: [...expected] })
    t.strictSame(found, wanted ? [wanted] : [], `${received} ${expected}`)
  }
  t.strictSame(
    differencesOf({ max_age: 3, scope: 'a' }, { max_age: 4 }),
    [],
    'numbers, and what has no match',
  )
  t.match(differencesOf({ at: '👍🏽a' }, { at: '👍🏽b' }), [{ at: 2 }], 'counted in characters')
})

t.test('the last refusals are listed by their time, whoever wrote first', async (t) => {
  const storage = new MemoryStorage({ now: () => 4000 })
  const entries = [1, 3, 2].map((second) => {
    const record = { ...RECORD, at: new Date(second * 1000).toISOString(), id: String(second) }
    return { name: record.id, text: JSON.stringify(record) }
  })
  await storage.bounded.put('explanations', entries, { ttl: 60_000, max: 9 })
  const context = { storage, settings: { explain_ttl: 60 }, now: () => 4000 }
  const found = await listExplanations(context, { limit: 2, language: 'en' })
  t.strictSame(
    found.map(({ id }) => id),
    ['3', '2'],
  )
})

t.test('a step that an endpoint does not have says nothing of what was passed', async (t) => {
  t.strictSame(passedBefore('logout', 'scope_not_allowed'), [])
  t.strictSame(passedBefore('other', 'redirect_uri_unregistered'), [])
  t.match(passedBefore('authorize', 'redirect_uri_unregistered'), ['arrival', 'parameters'])
})

t.test('a record is what redmint wrote, and nothing else of it is shown', async (t) => {
  t.strictSame(parseRecord(JSON.stringify(RECORD)), RECORD)
  const more = { trace_id: 't', client_id: 'web', received: { scope: ['a'] }, expected: { max: 3, is: true } }
  t.strictSame(recordFrom({ ...RECORD, ...more }), { ...RECORD, ...more })
  for (const wrong of [
    { id: 7 },
    { at: 1 },
    { reason: 'no_such_reason' },
    { reason: 'toString' },
    { id: undefined },
  ])
    t.equal(recordFrom({ ...RECORD, ...wrong }), undefined, JSON.stringify(wrong))
  for (const text of ['', '[]', 'null', '"x"', '{']) t.equal(parseRecord(text), undefined, text)
  const odd = { trace_id: 1, client_id: {}, received: { a: { b: 'c' } }, expected: [1], endpoint: 'no-such' }
  t.strictSame(recordFrom({ ...RECORD, ...odd }), { ...RECORD, endpoint: 'other' })
  t.match(explain(RECORD, 'en'), { received: {}, expected: {}, differences: [], more: 0 })
  t.strictSame(
    [kindOf(RECORD), kindOf({ ...RECORD, client_id: 'web' })],
    ['redirect_uri_unregistered', 'redirect_uri_unregistered:web'],
  )
})
