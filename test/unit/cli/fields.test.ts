// The tables of fields × the flags that set and remove them, their help, and what show prints.
import t from 'tap'
import { flagFields } from '../../../cli/field-flags.ts'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import type { FieldTable } from '../../../src/core/field-table.ts'
import { ISSUER_FIELDS } from '../../../src/issuers/issuer-fields.ts'
import { PROVIDER_FIELDS } from '../../../src/providers/provider-fields.ts'
import { RESOURCE_FIELDS } from '../../../src/resources/resource-fields.ts'
import { USER_FIELDS } from '../../../src/users/user-fields.ts'
import { ANSWERS, RECORDS } from '../../support/cli/answers.ts'
import { recorded } from '../../support/cli/recorded.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { jsonOf, sampleOf } from '../../support/fields.ts'

/** Each table, and what a new record is added with. */
const TABLES: Readonly<Record<keyof typeof RECORDS, { readonly table: FieldTable; readonly add: string[] }>> =
  {
    client: { table: CLIENT_FIELDS, add: ['shop'] },
    user: { table: USER_FIELDS, add: ['alice'] },
    resource: { table: RESOURCE_FIELDS, add: ['https://api.example.com'] },
    issuer: { table: ISSUER_FIELDS, add: ['https://idp.example.com'] },
    provider: { table: PROVIDER_FIELDS, add: ['google', '--client-id', 'x'] },
  }

for (const [noun, { table, add }] of Object.entries(TABLES)) {
  const record = RECORDS[noun as keyof typeof RECORDS]
  const id = add[0] ?? ''

  t.test(`${noun}: a flag sets a field, and another one removes it`, async (t) => {
    const help = await helpOf(noun, 'update')
    for (const { name, field, set, clear } of flagFields(table)) {
      const sample = sampleOf(field)
      // Of what JSON can say it by, what is typed.
      const [value] = jsonOf(field, sample).toReversed()
      for (const args of [
        ['add', ...add],
        ['update', id],
      ]) {
        if (args[0] === 'update' && !help.includes(`--${set} `)) continue
        const { calls } = await recorded([noun, ...args, `--${set}`, sample], { answers: ANSWERS })
        const call = calls.find(([name]) => /^(create|change)_/.test(name))
        t.match(call?.[1], { body: { [name]: value } }, `${noun} ${args[0]} --${set}`)
      }
      if (clear === undefined) continue
      const { calls } = await recorded([noun, 'update', id, `--${clear}`], { answers: ANSWERS })
      t.match(calls.find(([name]) => name.startsWith('change_'))?.[1], { body: { [name]: null } }, clear)
    }
  })

  t.test(`${noun}: --help has every flag, and every field can be set`, async (t) => {
    const [all, added, updated] = [
      await helpOf(noun),
      await helpOf(noun, 'add'),
      await helpOf(noun, 'update'),
    ]
    for (const { flag, set, clear } of flagFields(table)) {
      t.match(added, `--${set} <${flag.value}>`, `--${set}`)
      if (clear) t.match(updated, `--${clear} `, `--${clear}`)
    }
    t.notMatch(added, /`|\]\(/, 'without the marks of Markdown')
    for (const [name, { flag, setBy }] of Object.entries(table)) {
      if (flag || (all + added).includes(`${setBy}`)) continue
      const { redmint } = createCli()
      const { code } = await redmint([...`${setBy}`.split(' '), '--help'])
      t.equal(code, 0, `${name} is set by a flag or ${setBy}`)
    }
  })

  t.test(`${noun}: show prints every field that comes out`, async (t) => {
    const shownOf = async (more: object, ...flags: string[]) =>
      (
        await recorded([noun, 'show', id, ...flags], {
          answers: { [`read_${noun}`]: { ...record, ...more } },
        })
      ).stdout
    const before = [await shownOf({}), await shownOf({}, '--json')]
    for (const [name, field] of Object.entries(table)) {
      if (name in record || /_(hash|sealed)$/.test(name)) continue
      const sample = sampleOf(field)
      const shown = new Set(
        await Promise.all(jsonOf(field, sample).map((value) => shownOf({ [name]: value }))),
      )
      t.equal(shown.size, 1, `${name}: the same of each form`)
      t.notOk(shown.has(before[0] ?? ''), `show shows ${name} ${sample}`)
      const [value] = jsonOf(field, sample)
      t.not(await shownOf({ [name]: value }, '--json'), before[1], `show --json shows ${name}`)
    }
  })
}

async function helpOf(...command: string[]) {
  return (await createCli().redmint([...command, '--help'])).stdout
}
