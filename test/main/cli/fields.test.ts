// Every field of the tables of records by the command: the help has each flag, one sets the field, and another one removes it.
// client-fields.test.ts has what is special about those of clients.
import t from 'tap'
import { flagFields } from '../../../cli/field-flags.ts'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import type { FieldTable } from '../../../src/core/field-table.ts'
import { ISSUER_FIELDS } from '../../../src/issuers/issuer-fields.ts'
import { ISSUER } from '../../../src/issuers/issuer-kind.ts'
import { PROVIDER_FIELDS } from '../../../src/providers/provider-fields.ts'
import { PROVIDER } from '../../../src/providers/provider-record.ts'
import { RESOURCE_FIELDS } from '../../../src/resources/resource-fields.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import type { ReadableKind } from '../../../src/storage/records.ts'
import { USER_FIELDS } from '../../../src/users/user-fields.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { sampleOf } from '../../support/fields.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'

const TABLES: Readonly<Record<string, FieldTable>> = {
  client: CLIENT_FIELDS,
  user: USER_FIELDS,
  resource: RESOURCE_FIELDS,
  issuer: ISSUER_FIELDS,
  provider: PROVIDER_FIELDS,
}

/** A noun whose records are added with any one flag. */
interface Noun {
  readonly kind: ReadableKind<unknown>
  readonly id: string
  /** Texts that fit the record, not only the field. */
  readonly samples?: Readonly<Record<string, string>>
}

const NOUNS: Readonly<Record<string, Noun>> = {
  user: { kind: USER, id: 'u' },
  resource: { kind: RESOURCE, id: 'https://api.example.com' },
  issuer: { kind: ISSUER, id: 'https://ci.example.com', samples: { jwks: keySetOf(issuerKey()) } },
  provider: {
    kind: PROVIDER,
    id: 'google',
    samples: { kind: 'gitlab', scope: 'openid groups', team_id: 'TEAM123456', key_id: 'KEY1234567' },
  },
}

/** What a record needs besides a field. */
function neededFor(noun: string, field: string): string[] {
  if (noun !== 'provider') return []
  const apple = ['--kind', 'apple', '--team-id', 'OTHER12345', '--key-id', 'OTHER12345']
  return [
    ...(field === 'client_id' ? [] : ['--client-id', 'x']),
    ...(/^(team|key)_id$/.test(field) ? apple : []),
  ]
}

t.test('--help has every flag, and every field can be set', async (t) => {
  const { redmint } = createCli()
  const help = async (...command: string[]) => (await redmint([...command, '--help'])).stdout
  for (const [noun, table] of Object.entries(TABLES)) {
    const [all, add, update] = [await help(noun), await help(noun, 'add'), await help(noun, 'update')]
    for (const { flag, set, clear } of flagFields(table)) {
      t.ok(add.includes(`--${set} <${flag.value}>`), `${noun} --${set}`)
      if (noun !== 'user') t.ok(update.includes(`--${set} <${flag.value}>`), `${noun} update --${set}`)
      if (clear !== undefined) t.ok(update.includes(`--${clear} `), `${noun} --${clear}`)
    }
    for (const [name, { flag, setBy }] of Object.entries(table)) {
      if (flag || (all + add).includes(`${setBy}`)) continue
      const { code } = await redmint([...`${setBy}`.split(' '), '--help'])
      t.equal(code, 0, `${noun}: ${name} is set by a flag or ${setBy}`)
    }
  }
})

for (const [noun, { kind, id, samples = {} }] of Object.entries(NOUNS)) {
  t.test(`a flag sets a field of a ${noun}, and another one removes it`, async (t) => {
    for (const { name, field, set, clear } of flagFields(TABLES[noun] ?? {})) {
      const { storage, redmint } = createCli()
      const stored = async () => (await storage.records.read(kind, id))?.hash[name]
      const sample = samples[name] ?? sampleOf(field)
      const add = [noun, 'add', id, ...neededFor(noun, name), `--${set}`, sample]
      t.match(await redmint(add), { code: 0 }, add.join(' '))
      t.equal(await stored(), sample, name)
      if (clear === undefined) continue
      t.match(await redmint([noun, 'update', id, `--${clear}`]), { code: 0 }, `--${clear}`)
      t.notOk(await stored(), `${name} is removed`)
    }
  })
}
