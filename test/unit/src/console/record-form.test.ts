// What forms of records say of their fields.
import t from 'tap'
import { fieldsOf, inWords, patchOf, textsOf } from '../../../../src/console/record-form.ts'

t.test('a field says how it is typed in a form, not how it is stored', async (t) => {
  const fields = (['client', 'user', 'provider', 'resource', 'issuer'] as const).flatMap((one) =>
    fieldsOf(`change_${one}`),
  )
  const hints = fields.map(({ hint = '' }) => hint)
  t.same(
    hints.filter((hint) => /separated by|missing|%20|[`]|\]\(|\.md/.test(hint)),
    [],
  )
  const hintOf = (name: string) => fields.find((field) => field.name === name)?.hint
  t.equal(
    hintOf('allowed_groups'),
    'the groups whose members may use it, one in each line; empty: everybody may; []: nobody may',
  )
  t.equal(hintOf('scopes'), 'the scopes that tokens for it may have, one in each line; empty: any')
  t.match(hintOf('uses'), /, one in each line; default: both$/)
})

t.test('a list without entries is not a missing one, where that is something else', async (t) => {
  const fields = fieldsOf('change_client')
  const texts = (record: object) => textsOf(fields, record as Record<string, unknown>)
  const nobody = texts({ allowed_groups: [], redirect_uris: [] })
  t.match(nobody, { allowed_groups: '[]', redirect_uris: '' })
  t.same(patchOf(fields, nobody, nobody), {})
  t.same(patchOf(fields, nobody, { ...nobody, allowed_groups: '' }), { allowed_groups: null })
  const somebody = texts({ allowed_groups: ['staff'] })
  t.same(patchOf(fields, somebody, { ...somebody, allowed_groups: ' []\r\n' }), { allowed_groups: [] })
})

t.test(
  'a sentence of lint has fields and choices as people call them, and what is quoted as it is',
  async (t) => {
    t.equal(
      inWords('client', 'is always, although grant_types lacks refresh_token, and no_such_field'),
      'is always, although “How it gets tokens” lacks “It stays signed in”, and no_such_field',
    )
    const quoted = ': "https://redirect_uris.example/grant_types" occurs more than once'
    t.equal(inWords('client', quoted), quoted)
  },
)
