// Suite: unit
// What forms of records say of their fields.
import t from 'tap'
import { fieldsOf } from '../../../src/console/record-form.ts'

t.test('a field says how it is typed in a form, not how it is stored', async (t) => {
  const fields = ['client', 'user', 'provider', 'resource', 'issuer'].flatMap((one) =>
    fieldsOf(`change_${one}`),
  )
  const hints = fields.map(({ hint = '' }) => hint)
  t.same(
    hints.filter((hint) => /separated by|missing|%20|[`[\]]|\.md/.test(hint)),
    [],
  )
  const hintOf = (name: string) => fields.find((field) => field.name === name)?.hint
  // A form has no empty list: what is empty is taken out of the record.
  t.equal(
    hintOf('allowed_groups'),
    'the groups whose members may use it, one in each line; empty: everybody may',
  )
  t.equal(hintOf('scopes'), 'the scopes that tokens for it may have, one in each line; empty: any')
  t.match(hintOf('uses'), /, one in each line; default: both$/)
})
