// Generates values for the fields of a table, so that tests need no list of fields.
import {
  type Client,
  type ClientDefinition,
  formatClient,
  parseClient,
} from '../../src/clients/record/client-record.ts'
import type { Field } from '../../src/core/field-kinds.ts'
import { textOf } from '../../src/core/field-table.ts'
import { parseObject } from '../../src/core/json.ts'
import { FieldReader } from '../../src/core/record-hash.ts'

const CANDIDATES = [
  '60',
  'word',
  '2026-11-22T08:00:00.000Z',
  'a.example',
  'claim=word',
  'CN=word',
  'TEAM123456',
  '192.0.2.7',
  '1780000000000:word',
  '1780000000000 corp groups digest https://a.example#word',
  'a@example.com',
  'https://a.example#word',
  'https://a.example/x',
  'redmint:read',
  Buffer.alloc(32).toString('base64'),
  '{"tenant":"acme"}',
  '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
  '$argon2id$v=19$m=19456,t=2,p=1$lrf7HjoBD9jHKMYSIm1Tkg$l1Pl1Mu8YduNyTwKzuGh7AB1tzEd6gXlN0gZI9ifXq8',
  // A private-use address has its form, so that it comes last.
  'redmint:read',
]

/** Whether a text is a valid value for a field. */
function isGood(field: Field<unknown>, text: string): boolean {
  const reader = new FieldReader({ field: text })
  return field.read(reader, 'field') !== undefined && reader.problems.length === 0
}

/** A valid text for a field, other than its default, that an import can give. @throws TypeError if none is known */
export function sampleOf(field: Field<unknown>): string {
  const texts = [...(field.choices ?? []), ...CANDIDATES]
  const sample = texts.find(
    (text) => text !== textOf(field, field.default) && isGood(field, text) && jsonOf(field, text).length > 0,
  )
  if (sample === undefined) throw new TypeError('no candidate is valid for this field: add one')
  return sample
}

/** All JSON values that an import may give for a text. */
export function jsonOf(field: Field<unknown>, text: string): unknown[] {
  const typed: unknown[] =
    field.layout === 'line' ? [text === 'true', Number(text), parseObject(text)] : [text.split(' ')]
  return [text, ...typed].filter((value) => {
    const read = field.fromJson(value)
    return 'text' in read && read.text === text
  })
}

/** A client with all defaults. @throws TypeError if the definition makes a malformed record */
export function clientOf(definition: ClientDefinition): Client {
  const parsed = parseClient(definition.client_id, formatClient(definition))
  if (!parsed.ok) throw new TypeError(`malformed client: ${JSON.stringify(parsed.problems)}`)
  return parsed.record
}
