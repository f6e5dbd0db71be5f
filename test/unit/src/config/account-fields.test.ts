import t from 'tap'
import { ACCOUNT_FIELDS } from '../../../../src/config/account-fields.ts'
import { readVariable } from '../../../../src/config/option-form.ts'

t.test('the fields of a profile are a list, or none', async (t) => {
  const read = (text: string) => {
    const problems: string[] = []
    return [readVariable(ACCOUNT_FIELDS, 'ACCOUNT_FIELDS', text, problems), problems]
  }
  t.strictSame(read('none'), [[], []])
  t.strictSame(read('name, locale'), [['name', 'locale'], []])
  for (const text of ['name,email', 'groups', 'name none', 'sub'])
    t.match(read(text)[1], [/^ACCOUNT_FIELDS has .*: it must be none, or a list of name, given_name/], text)
})
