import { hash } from 'node:crypto'
import type { AuditEntries } from '../../core/audit-entries.ts'
import { FieldReader, type Hash, type Parsed } from '../../core/record-hash.ts'
import { randomText } from '../../core/token-string.ts'
import { type Kind, type UsableKind, write } from '../../storage/records.ts'
import { INITIAL_ACCESS_TOKEN_TAG } from '../../storage/registrations.ts'
import type { RecordStore } from '../../storage/storage.ts'

/** An initial access token (RFC 7591 §3), as storage has it. */
interface InitialAccessToken {
  readonly uses_left: number
  /** ISO 8601. */
  readonly created_at: string
  /** ISO 8601; absent: an operator wrote it by hand. */
  readonly expires_at?: string
}

const MAX_USES = 1_000_000
const SECRET_BYTES = 32
const NAME_LENGTH = 16

/** Initial access tokens, by the digest of what the client sends. */
export const INITIAL_ACCESS_TOKEN: Kind<InitialAccessToken> & UsableKind = {
  name: 'invitation',
  by_operators: true,
  listed: true,
  uses_left: 'uses_left',
  format: ({ uses_left, ...instants }) => ({ uses_left: String(uses_left), ...instants }),
  parse: parseInitialAccessToken,
}

function parseInitialAccessToken(fields_of: Hash): Parsed<InitialAccessToken> {
  const fields = new FieldReader(fields_of)
  const uses_left = fields.integer('uses_left', { min: 1, max: MAX_USES, unit: 'uses' }) ?? 0
  const created_at = fields.required('created_at')
  const instants = { created_at, ...fields.given(['expires_at']) }
  const { problems } = fields
  return problems.length === 0 ? { ok: true, record: { uses_left, ...instants } } : { ok: false, problems }
}

/**
 * Writes a token with which `uses` clients can register within `ttl` seconds, and returns it. Storage has only its
 * digest.
 * @throws StorageUnavailable
 */
export async function createInitialAccessToken(
  { storage, now }: { storage: RecordStore; now: number },
  { uses, ttl, told }: { uses: number; ttl: number; told?: AuditEntries | undefined },
): Promise<string> {
  const token = randomText(SECRET_BYTES)
  const [created_at = '', expires_at = ''] = [now, now + ttl * 1000].map((at) => new Date(at).toISOString())
  const record = { uses_left: uses, created_at, expires_at }
  await storage.records.put({ ...write(INITIAL_ACCESS_TOKEN, idOf(token), record, ttl), told })
  return token
}

/** Returns what names a token to operators: a part of its digest, which is of no use to anybody else. */
export function nameOf(digest: string): string {
  return digest.slice(0, NAME_LENGTH)
}

/** Returns the id of the record of a token. */
export const idOf = (token: string): string => INITIAL_ACCESS_TOKEN_TAG + digestOf(token)

/** Returns the digest of a token that storage keeps: SHA-256 in base64url. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}
