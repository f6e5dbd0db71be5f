import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'
import { namedWords } from '../storage/words.ts'
import { DETAIL_TYPE_FIELDS } from './detail-type-fields.ts'
import { type ObjectSchema, readSchema } from './schema.ts'
import { readSentences, type Sentences } from './sentence.ts'

/** A type of `authorization_details` (RFC 9396 §2.1): what its objects have, and what people are asked. */
export interface DetailType extends RecordOf<typeof DETAIL_TYPE_FIELDS> {
  /** What the field `schema` says. */
  readonly shape: ObjectSchema
  /** What the field `text` says. */
  readonly sentences: Sentences
}

/** A type to be written. */
type DetailTypeDefinition = DefinitionOf<typeof DETAIL_TYPE_FIELDS>

function parseDetailType(hash: Hash, key: string): Parsed<DetailType> {
  let parts: Pick<DetailType, 'shape' | 'sentences'> | undefined
  const parsed = parseFields(
    DETAIL_TYPE_FIELDS,
    { ...hash, detail_type: hash.detail_type || key },
    ({ detail_type, schema, text, once, remember }, fields) => {
      if (detail_type !== undefined && detail_type !== key)
        fields.fail('detail_type', 'is another type than the one in the key')
      if (once && remember) fields.fail('remember', 'cannot be true with once: nobody would be asked again')
      if (schema === undefined || text === undefined || fields.problems.length > 0) return
      const read = readSchema(schema)
      // The members that a sentence names are those of the schema.
      const texts = readSentences(text, 'schema' in read ? read.schema : undefined)
      if ('problem' in texts) fields.fail('text', texts.problem)
      else if ('schema' in read) parts = { shape: read.schema, sentences: texts.sentences }
    },
  )
  if (!parsed.ok) return parsed
  if (parts === undefined) throw new TypeError('the schema was read before')
  return { ok: true, record: { ...parsed.record, ...parts } }
}

/** Types of details, by their names. */
export const DETAIL_TYPE: Kind<DetailType> = {
  name: 'detail-type',
  by_operators: true,
  listed: true,
  words: namedWords(),
  format: (type: DetailTypeDefinition) => formatFields(DETAIL_TYPE_FIELDS, type),
  parse: parseDetailType,
}
