import { type Command, Option } from 'commander'
import { SUBJECT_TYPES } from '../../src/clients/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../src/config/environment.ts'
import { SIGNING_ALGS } from '../../src/core/signing-algs.ts'

interface FlagField {
  /** What the flag's value is called in its help. */
  readonly value: string
  /** All values that there are; absent: any. */
  readonly choices?: readonly string[]
  readonly help: string
  /** What `--clear-…` means, where no value means the same. */
  readonly clear?: string
}

const BOOLEAN = { value: 'boolean', choices: ['true', 'false'] } as const

/** The fields of a client record that a flag of the same name sets as they are. */
const FLAG_FIELDS = {
  access_token_format: {
    value: 'format',
    choices: ACCESS_TOKEN_FORMATS,
    help: 'what its access tokens are',
    clear: "fall back to the servers' format",
  },
  id_token_signed_response_alg: {
    value: 'alg',
    choices: SIGNING_ALGS,
    help: 'what its id_tokens are signed with',
    clear: "fall back to the servers' algorithm",
  },
  require_pkce: { ...BOOLEAN, help: 'false: a confidential client may do without PKCE' },
  first_party: { ...BOOLEAN, help: 'true: nobody is asked for consent' },
  subject_type: {
    value: 'type',
    choices: SUBJECT_TYPES,
    help: 'pairwise: it knows each user by a sub of its own',
  },
  sector_identifier: {
    value: 'host',
    help: 'the host that pairwise subs are for (default: that of its redirect URIs)',
    clear: 'fall back to the host of its redirect URIs',
  },
  backchannel_logout_uri: {
    value: 'uri',
    help: 'where logout tokens are sent',
    clear: 'send it no logout tokens',
  },
  logout_ends_tokens: { ...BOOLEAN, help: "true: its tokens end with the user's session" },
} as const satisfies Readonly<Record<string, FlagField>>

type Name = keyof typeof FLAG_FIELDS
type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

/** What those flags say; absent where the flag was not given. */
export type FieldFlags = { [Field in Name as Camel<Field>]?: string }

const FIELDS = Object.entries<FlagField>(FLAG_FIELDS)
const dashed = (name: string) => name.replaceAll('_', '-')
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Adds the flags that set a field. */
export function withFieldFlags(command: Command): Command {
  for (const [name, { value, choices, help }] of FIELDS) {
    const option = new Option(`--${dashed(name)} <${value}>`, help)
    command.addOption(choices === undefined ? option : option.choices(choices))
  }
  return command
}

/** Adds the flags that take a field away. */
export function withClearFlags(command: Command): Command {
  for (const [name, { clear }] of FIELDS) {
    if (clear === undefined) continue
    command.addOption(new Option(`--clear-${dashed(name)}`, clear).conflicts(camel(name)))
  }
  return command
}

/** The fields that the flags set, as storage writes them. */
export function givenFields(flags: FieldFlags): Record<string, string> {
  const values = new Map(Object.entries(flags))
  const given = FIELDS.map(([name]) => [name, values.get(camel(name))] as const)
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The fields that the flags take away. */
export function clearedFields(flags: object): string[] {
  return FIELDS.map(([name]) => name).filter((name) => Object.hasOwn(flags, camel(`clear_${name}`)))
}
