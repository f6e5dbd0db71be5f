import { boolean, json, text, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { readSchema } from './schema.ts'
import { readSentences } from './sentence.ts'

const TYPE = /^[A-Za-z0-9][\w.:/~-]{0,127}$/

/** Returns why a text cannot name a type of details, as text that completes "<field> …"; undefined if it can. */
export function detailTypeProblem(type: string): string | undefined {
  return TYPE.test(type)
    ? undefined
    : 'is not a type of 1 to 128 letters, digits, dots, dashes, colons, slashes and underscores'
}

/** All fields of the record of a type of details (RFC 9396 §2.1). */
export const DETAIL_TYPE_FIELDS = {
  /** As clients name it in the member `type`. */
  detail_type: text({
    label: 'Type',
    required: true,
    check: detailTypeProblem,
    setBy: '<type>',
    docs: 'the type as clients name it; may be missing: then the type in the key',
  }),
  /** What objects of the type must be. Its text: a merge of two schemas would be none. */
  schema: {
    ...json({
      label: 'Schema',
      required: true,
      check: (given) => problemOf(readSchema(given)),
      setBy: '--schema',
      docs: 'the JSON of [what its objects have](details.md#the-schema)',
    }),
    json: 'string',
  },
  /** What a person is asked, by language. */
  text: json({
    label: 'What people are asked',
    required: true,
    check: (given) => problemOf(readSentences(given, undefined)),
    setBy: '--text',
    docs: 'a JSON object of the [sentence that people read](details.md#what-people-read), by language; `en` is for all languages that it lacks',
  }),
  /** Whether the same objects are allowed again without a question. */
  remember: boolean({
    label: 'Remembered',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: a person who allowed an object is not asked again for the same one',
    },
    docs: '`true`: a person who allowed an object is not asked again for the same one; default: `false`',
  }),
  /** Whether only pushed requests may ask for it. */
  pushed: boolean({
    label: 'Only in pushed requests',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: only [pushed requests](pushed-requests.md) may ask for it, so that nobody changes it on the way',
    },
    docs: '`true`: only [pushed requests](pushed-requests.md) may ask for it (RFC 9126); default: `false`',
  }),
  /** Whether what was allowed can be done once. */
  once: boolean({
    label: 'Counts once',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: what a person allows can be done [once](details.md#once)',
    },
    docs: '`true`: what a person allows can be done [once](details.md#once): the API spends the token; default: `false`',
  }),
  /** How strongly a person must have signed in to allow it; absent: in any way. */
  required_acr: words({
    label: 'Sign-in to allow it',
    check: (value) => (/^[\x21-\x7E]{1,64}$/.test(value) ? undefined : 'is not an acr value'),
    flag: {
      value: 'acr',
      help: 'how strongly a person must sign in to allow it, one of these values of `acr`; repeatable. Default: any',
      clear: 'let every sign-in do',
    },
    docs: 'the values of `acr` of which the sign-in must have one in which a person allows it, separated by single spaces; missing: any',
  }),
  disabled: boolean({
    label: 'Disabled',
    default: false,
    setBy: 'disable',
    docs: '`true`: nobody gets it, and tokens that have it are reported without it; default: `false`',
  }),
  managed_by: MANAGED_BY,
} satisfies FieldTable

const problemOf = (read: object) => ('problem' in read ? String(read.problem) : undefined)
