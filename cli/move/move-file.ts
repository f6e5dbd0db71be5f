import { isObject } from '../../src/core/json.ts'
import { type Hash, setField } from '../../src/core/record-hash.ts'
import { parseStrictJson } from '../../src/core/strict-json.ts'
import { VERSION } from '../../src/core/version.ts'
import { Refusal, UsageError } from '../errors.ts'
import { type FileLine, linesOf } from '../file-lines.ts'
import { type Content, KINDS, type KindOfRecord } from './kind.ts'
import { type FileSealer, type PassphraseHeader, readPassphraseHeader, sealerFor } from './passphrase.ts'

/** The version of the format, in the first line. */
const FORMAT = 1
const MAX_DEPTH = 4
// A field of a passkey has the credential id, of at most 1023 bytes (WebAuthn Level 3 §4).
const FIELD_NAME = /^[A-Za-z][\w.:/~-]{0,1400}$/

/** What the first line says of the file. */
export interface MoveHeader {
  /** Absent: the exporting command did not know it. */
  readonly issuer?: string
  /** The host for which the passkeys are; absent: there are none. */
  readonly passkey_host?: string
  readonly exported_at: string
  /** What was issued before is refused, in seconds since 1970; absent: no such mark. */
  readonly not_before?: number
  /** Absent: nothing in the file is sealed. */
  readonly passphrase?: PassphraseHeader
}

/** A record of a file, or what is wrong with its line. */
export interface FileRecord {
  readonly line: number
  readonly kind?: KindOfRecord
  readonly id: string
  readonly content: Content
  readonly problems: readonly string[]
}

/** Returns the first line of a file. */
export function headerLine(header: MoveHeader): string {
  return JSON.stringify({ redmint_export: FORMAT, redmint: VERSION, ...header })
}

/** Returns the line of a record. @throws Error if it has a secret, and there is no sealer */
export function recordLine(
  kind: KindOfRecord,
  id: string,
  { fields, factors, secret, private_jwk }: Content,
  sealer: FileSealer | undefined,
): string {
  return JSON.stringify({
    kind,
    id,
    fields,
    ...(factors && { factors: withApp(factors, (secret) => sealed(sealer, `app ${id}`, secret)) }),
    ...(secret !== undefined && { sealed: sealed(sealer, `provider ${id}`, secret) }),
    ...(private_jwk !== undefined && { sealed: sealed(sealer, `key ${id}`, private_jwk) }),
  })
}

/** Returns the last line of a file. */
export function endLine(counts: Readonly<Partial<Record<KindOfRecord, number>>>): string {
  return JSON.stringify({ end: true, counts })
}

/** Reads the first line of a file. @throws Refusal if it is no export of redmint; UsageError */
export async function readHeader(path: string): Promise<MoveHeader> {
  for await (const line of linesOf(path)) return headerOf(line)
  throw new Refusal(NOT_EXPORT)
}

/**
 * Makes the sealer of a file.
 * @param passphrase undefined: none was given
 * @throws UsageError if one is needed, or none; Refusal if it is wrong
 */
export async function sealerOfFile(
  { passphrase: header }: MoveHeader,
  passphrase: string | undefined,
): Promise<FileSealer | undefined> {
  if (header === undefined) {
    if (passphrase === undefined) return undefined
    throw new UsageError('The file has no secrets under a passphrase: leave --passphrase-file out.')
  }
  if (passphrase !== undefined) return sealerFor(passphrase, header)
  throw new UsageError('The file has secrets under a passphrase: give it with --passphrase-file.')
}

/**
 * Yields the records of a file, in its order.
 * @throws Refusal if the file is cut, or goes on after its end
 */
export async function* recordsOf(path: string, sealer: FileSealer | undefined): AsyncGenerator<FileRecord> {
  const counts = new Map<string, number>()
  let is_over = false
  for await (const line of linesOf(path)) {
    if (line.number === 1) continue
    if (is_over) throw new Refusal(`Line ${line.number} comes after the end of the export.`)
    const parsed = parseStrictJson(line.text, MAX_DEPTH)
    const value = 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined
    if (value?.end === true) {
      is_over = true
      assertComplete(line.number, value.counts, counts)
      continue
    }
    const kind = KINDS.find((known) => known === value?.kind)
    counts.set(kind ?? '', (counts.get(kind ?? '') ?? 0) + 1)
    if (value === undefined) {
      const why = 'problem' in parsed ? parsed.problem : 'is no object'
      yield {
        line: line.number,
        id: '',
        content: { fields: {} },
        problems: [`is not a record: its JSON ${why}`],
      }
    } else yield readRecord(line.number, kind, value, sealer)
  }
  if (!is_over) throw new Refusal('The file is cut: it has no end line. Export again.')
}

const NOT_EXPORT =
  'The file is no export of redmint. A file of another system needs --from; redmint client import and redmint user import read lists.'

function headerOf({ text }: FileLine): MoveHeader {
  const parsed = parseStrictJson(text, MAX_DEPTH)
  const value = 'value' in parsed && isObject(parsed.value) ? parsed.value : {}
  const { redmint_export: format, issuer, passkey_host, exported_at, not_before, passphrase } = value
  if (!Number.isSafeInteger(format)) throw new Refusal(NOT_EXPORT)
  if (format !== FORMAT)
    throw new Refusal(`The file has the format ${format}, and this version of redmint reads ${FORMAT}.`)
  const read = passphrase === undefined ? undefined : readPassphraseHeader(passphrase)
  if (read !== undefined && 'problem' in read) throw new Refusal(`Line 1: passphrase ${read.problem}.`)
  if (not_before !== undefined && !Number.isSafeInteger(not_before))
    throw new Refusal('Line 1: not_before must be a whole number of seconds.')
  return {
    exported_at: String(exported_at),
    ...(typeof issuer === 'string' && { issuer }),
    ...(typeof passkey_host === 'string' && { passkey_host }),
    ...(not_before !== undefined && { not_before: Number(not_before) }),
    ...(read && { passphrase: read }),
  }
}

function assertComplete(line: number, given: unknown, counts: ReadonlyMap<string, number>): void {
  const said = isObject(given) ? given : {}
  const names = new Set([...Object.keys(said), ...counts.keys()])
  const wrong = [...names].find(
    (name) => (Object.hasOwn(said, name) ? said[name] : 0) !== (counts.get(name) ?? 0),
  )
  if (wrong === undefined) return
  const [expected, found] = [Object.hasOwn(said, wrong) ? said[wrong] : 0, counts.get(wrong) ?? 0]
  throw new Refusal(
    `The file is not complete: line ${line} counts ${expected} of the kind "${wrong}", and there are ${found}. Export again.`,
  )
}

function readRecord(
  line: number,
  kind: KindOfRecord | undefined,
  value: Readonly<Record<string, unknown>>,
  sealer: FileSealer | undefined,
): FileRecord {
  const { kind: named, id: given, fields, factors, sealed: private_part, ...others } = value
  const id = typeof given === 'string' ? given : ''
  const problems: string[] = []
  if (kind === undefined) problems.push(`has no kind of ${KINDS.join(', ')}`)
  if (id === '') problems.push('has no id')
  for (const name of Object.keys(others)) problems.push(`has the member "${name}", which no record has`)
  const read = (name: string, given: unknown): Hash => {
    const hash = readHash(given)
    if (hash !== undefined) return hash
    problems.push(`has ${name} that are not an object of texts`)
    return {}
  }
  const content: { -readonly [Name in keyof Content]: Content[Name] } = { fields: read('fields', fields) }
  if (factors !== undefined) {
    if (named !== 'user') problems.push('has factors, and is no user')
    content.factors = withApp(read('factors', factors), (secret) => {
      const opened = sealer?.open(`app ${id}`, secret)
      if (opened === undefined) problems.push(`has an authenticator app whose secret ${UNSEALED}`)
      return opened ?? ''
    })
  }
  if (private_part !== undefined) {
    const place = named === 'provider' ? `provider ${id}` : `key ${id}`
    const opened = typeof private_part === 'string' ? sealer?.open(place, private_part) : undefined
    if (opened === undefined) problems.push(`has a private part that ${UNSEALED}`)
    if (named === 'provider') content.secret = opened ?? ''
    else if (named === 'signing-key') content.private_jwk = opened ?? ''
    else problems.push('has a private part, and is no provider and no signing key')
  }
  return { line, ...(kind && { kind }), id, content, problems }
}

const UNSEALED = 'the passphrase of the file does not open: it was changed, or is that of another record'

function readHash(value: unknown): Hash | undefined {
  if (!isObject(value)) return undefined
  const hash: Record<string, string> = {}
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !FIELD_NAME.test(name)) return undefined
    setField(hash, name, text)
  }
  return hash
}

/** Returns factors whose app has another secret. Those without an app, or with a malformed one, stay as they are. */
function withApp(factors: Hash, change: (secret: string) => string): Hash {
  const app = parseStrictJson(factors.totp ?? '', 1)
  const value = 'value' in app && isObject(app.value) ? app.value : undefined
  if (value === undefined || typeof value.secret !== 'string') return factors
  return { ...factors, totp: JSON.stringify({ ...value, secret: change(value.secret) }) }
}

/** A record has a secret that leaves only under a passphrase. */
export class NeedsPassphrase extends Error {}

function sealed(sealer: FileSealer | undefined, place: string, text: string): string {
  if (sealer === undefined) throw new NeedsPassphrase()
  return sealer.seal(place, text)
}
