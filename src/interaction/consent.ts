import type { ClientId, Sub } from '../core/ids.ts'
import { FieldReader } from '../core/record-hash.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** What a user agreed that a client may have. */
interface ConsentRecord {
  /** Scope names, separated by spaces. */
  readonly scope: string
  /** ISO 8601, for operators. */
  readonly given_at?: string
}

/** Consents, by user and client. */
const CONSENT: Kind<ConsentRecord> = {
  name: 'consent',
  format: ({ scope, given_at }) => ({ scope, ...(given_at === undefined ? {} : { given_at }) }),
  parse(hash) {
    const { scope } = hash
    if (scope === undefined) return { ok: false, problems: [{ field: 'scope', problem: 'is missing' }] }
    return { ok: true, record: { scope, ...new FieldReader(hash).given(['given_at']) } }
  },
}

/** The scope names that a user lets a client have; undefined if none are remembered. @throws StorageUnavailable */
export async function readConsent(
  { records }: Pick<Storage, 'records'>,
  sub: Sub,
  client_id: ClientId,
): Promise<string | undefined> {
  return recordOf(await records.read(CONSENT, consentId(sub, client_id)))?.scope
}

/**
 * Remembers for `ttl` seconds what a user lets a client have, in place of what was remembered before.
 * @throws StorageUnavailable
 */
export async function saveConsent(
  { storage, now }: { storage: Pick<Storage, 'records'>; now: () => number },
  { sub, client_id, scope }: { sub: Sub; client_id: ClientId; scope: string },
  ttl: number,
): Promise<void> {
  const record = { scope, given_at: new Date(now()).toISOString() }
  await storage.records.put(write(CONSENT, consentId(sub, client_id), record, ttl))
}

/** Two pairs of a user and a client never share an id. */
function consentId(sub: Sub, client_id: ClientId): string {
  return `${encodeURIComponent(sub.toWellFormed())}:${client_id.toWellFormed()}`
}
