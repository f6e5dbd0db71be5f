// Every field of a record is called by words: on pages, and in the description of the admin API.
import t from 'tap'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import type { FieldTable } from '../../../src/core/field-table.ts'
import { ISSUER_FIELDS } from '../../../src/issuers/issuer-fields.ts'
import { PROVIDER_FIELDS } from '../../../src/providers/provider-fields.ts'
import { RESOURCE_FIELDS } from '../../../src/resources/resource-fields.ts'
import { USER_FIELDS } from '../../../src/users/user-fields.ts'

const TABLES: Readonly<Record<string, FieldTable>> = {
  client: CLIENT_FIELDS,
  user: USER_FIELDS,
  resource: RESOURCE_FIELDS,
  issuer: ISSUER_FIELDS,
  provider: PROVIDER_FIELDS,
}
const WORDS = /^[A-Z][^_]*$/

for (const [record, table] of Object.entries(TABLES)) {
  const fields = Object.entries(table)
  t.test(`${record}: each field has words of its own`, (t) => {
    const labels = fields.map(([, { label }]) => label)
    for (const [name, { label, docs }] of fields) {
      t.match(label, WORDS, name)
      t.not(label.toLowerCase().replaceAll(' ', '_'), docs, name)
      t.ok(label.length <= 45, `${name}: ${label}`)
    }
    t.equal(new Set(labels).size, labels.length, 'no two are called the same')
    t.end()
  })

  t.test(`${record}: values that are no words have words`, (t) => {
    for (const [name, { choices = [], choice_labels, json }] of fields) {
      if (json === 'boolean') continue
      const unspoken = choices.filter((choice) => choice_labels?.[choice] === undefined)
      // Algorithms are called by their names.
      t.strictSame(
        unspoken.filter((choice) => !/^[A-Z][A-Za-z0-9-]+$/.test(choice)),
        [],
        name,
      )
      for (const [choice, label] of Object.entries(choice_labels ?? {})) {
        t.ok(choices.includes(choice), `${name}: ${choice}`)
        t.match(label, WORDS)
      }
    }
    t.end()
  })
}
