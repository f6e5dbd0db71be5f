// Records as JSON: an empty field that differs from an absent one.
import t from 'tap'
import { fromJson, toJson } from '../../../../../src/admin/operation/record-json.ts'
import { CLIENT_FIELDS } from '../../../../../src/clients/record/client-fields.ts'

const NAMES = ['allowed_groups', 'redirect_uris', 'client_uri']

t.test('L2: a patch tells nobody, [], from everybody, null', async (t) => {
  const patch = (given: Record<string, unknown>) => fromJson(CLIENT_FIELDS, NAMES, given)
  const cases: [allowed_groups: unknown, stored: string | undefined][] = [
    [[], ''],
    ['', ''],
    [['staff', 'Human Resources'], 'staff Human%20Resources'],
    [null, undefined],
  ]
  for (const [allowed_groups, stored] of cases) {
    const expected =
      stored === undefined
        ? { set: {}, unset: ['allowed_groups'] }
        : { set: { allowed_groups: stored }, unset: [] }
    t.strictSame(patch({ allowed_groups }), expected, JSON.stringify(allowed_groups))
  }
  t.strictSame(
    patch({ redirect_uris: [] }),
    { set: {}, unset: ['redirect_uris'] },
    'of other fields it is the same',
  )
})

t.test('L2: and so does a record', async (t) => {
  const shown = (stored: Record<string, string>) => toJson(CLIENT_FIELDS, NAMES, stored)
  t.strictSame(shown({}), {})
  t.strictSame(shown({ allowed_groups: '' }), { allowed_groups: [] })
  t.strictSame(shown({ allowed_groups: 'Human%20Resources' }), { allowed_groups: ['Human Resources'] })
})
