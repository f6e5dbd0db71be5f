import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { ClientId, Sub } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import type { CheckedDetail } from '../details/check-details.ts'
import { canonicalText } from '../details/json-value.ts'
import { type Detail, parseDetails } from '../details/read-details.ts'
import type { Resource } from '../resources/resource-record.ts'
import { type Index, joinedLists } from '../storage/indexes.ts'
import type { Listing } from '../storage/lists.ts'
import { RecordCache } from '../storage/record-cache.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'

/** What a user agreed that a client may have. */
export interface ConsentRecord {
  /** Scope names, and names of resources (`consentName`) and details (`detailName`), separated by spaces. */
  readonly scope: string
  /** The objects of the details among the names, so that people see what they are: a JSON object, by the names. */
  readonly details?: string
  /** ISO 8601. */
  readonly given_at?: string
  /** What a client that describes itself said then, and who got the answer (`DescribedClient`). */
  readonly description?: string
  /** Since when the user knows this description; ISO 8601. */
  readonly described_since?: string
}

const OPTIONAL = ['details', 'given_at', 'description', 'described_since'] as const

const RESOURCE = 'resource:'

/** The name of a resource in a consent, beside names of scopes. */
export const consentName = ({ id }: Pick<Resource, 'id'>) => RESOURCE + id

/** Whether a name in a consent is that of a resource. */
export const isResourceName = (name: string) => name.startsWith(RESOURCE)

const DETAIL = 'detail:'

/**
 * The name of an object of `authorization_details` in a consent: a digest of the object and of the sentences that people
 * read of it, so that nobody has agreed to one that reads otherwise.
 */
export function detailName({ detail, type }: CheckedDetail): string {
  return DETAIL + hash('sha256', `${canonicalText(detail)}\n${type.text}`, 'base64url')
}

/** Whether a name in a consent is that of an object of `authorization_details`. */
export const isDetailName = (name: string) => name.startsWith(DETAIL)

/** Returns the details that a consent remembers, by their names; what cannot be read is left out. */
export function rememberedDetails({
  scope,
  details = '',
}: Pick<ConsentRecord, 'scope' | 'details'>): ReadonlyMap<string, Detail> {
  const objects = new Map(Object.entries(parseObject(details) ?? {}))
  const found = scopeNames(scope).flatMap((name): [string, Detail][] => {
    const [detail] = parseDetails(JSON.stringify([objects.get(name)]))
    return isDetailName(name) && detail !== undefined ? [[name, detail]] : []
  })
  return new Map(found)
}

/** Names in a consent as events have them: of details the types. */
export function toldNames(names: readonly string[], details: readonly Pick<Detail, 'type'>[]): string[] {
  const others = names.filter((name) => !isDetailName(name))
  return [...others, ...new Set(details.map(({ type }) => DETAIL + type))]
}

/** Whether a name in a consent is that of a scope. */
export const isConsentedScope = (name: string) => !isResourceName(name) && !isDetailName(name)

/** Consents, by user and client. */
export const CONSENT: Kind<ConsentRecord> = {
  name: 'consent',
  format: ({ scope, ...more }) => ({ scope, ...more }),
  parse: parseConsent,
}

function parseConsent(hash: Hash): Parsed<ConsentRecord> {
  const { scope } = hash
  if (scope === undefined) return { ok: false, problems: [{ field: 'scope', problem: 'is missing' }] }
  return { ok: true, record: { scope, ...new FieldReader(hash).given(OPTIONAL) } }
}

/** Finds what users agreed to. Consents are cached while storage reports changes of their records. */
export class ConsentRegistry {
  readonly #cache: RecordCache<ConsentRecord>
  readonly #settings: Pick<Settings, 'consent_ttl'>
  readonly #now: () => number

  /** @param now milliseconds since 1970 */
  constructor(
    { records, changes }: Pick<Storage, 'records' | 'changes'>,
    settings: Pick<Settings, 'consent_ttl'>,
    now: () => number,
  ) {
    this.#cache = new RecordCache(changes, CONSENT, async (id) => recordOf(await records.read(CONSENT, id)))
    this.#settings = settings
    this.#now = now
  }

  /** What a user lets a client have; undefined if nothing is remembered. @throws StorageUnavailable */
  async find(sub: Sub, client_id: ClientId): Promise<ConsentRecord | undefined> {
    const consent = await this.#cache.find(consentId(sub, client_id))
    return consent === undefined || this.#isOver(consent) ? undefined : consent
  }

  // Storage does not report at once that a record expired.
  #isOver({ given_at }: ConsentRecord): boolean {
    if (given_at === undefined) return false
    return !(this.#now() < Date.parse(given_at) + this.#settings.consent_ttl * 1000)
  }
}

/** A consent to be remembered. `description` and `described_since` as in the record. */
interface NewConsent extends Pick<ConsentRecord, 'scope' | 'details' | 'description' | 'described_since'> {
  readonly sub: Sub
  readonly client_id: ClientId
}

/**
 * Remembers for `ttl` seconds what a user lets a client have, in place of what was remembered before.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function saveConsent(
  { storage, now }: { storage: RecordStore; now: () => number },
  { sub, client_id, ...consent }: NewConsent,
  ttl: number,
  told?: AuditEntries,
): Promise<'ok'> {
  const at = now()
  const record = { ...consent, given_at: new Date(at).toISOString() }
  const listing = { list: 'consents-of', owner: sub, id: client_id, until: at + ttl * 1000 } as const
  await storage.records.put({ ...write(CONSENT, consentId(sub, client_id), record, ttl, [listing]), told })
  return 'ok'
}

/**
 * The lists of the consents of users, as an index.
 * @param ttl for how many seconds a consent counts
 * @param now milliseconds since 1970
 */
export function consentLists(storage: Pick<Storage, 'lists'>, ttl: number, now: () => number): Index {
  return joinedLists(storage, CONSENT, (id, hash) => {
    const listing = listingOf(id, hash, ttl, now())
    return listing === undefined ? [] : [listing]
  })
}

/**
 * Returns the entry of a consent in the list of its user, with the time when it is over; undefined: consentId makes no such
 * id.
 * @param ttl for how many seconds a consent counts
 * @param now milliseconds since 1970
 */
export function listingOf(
  id: string,
  { given_at = '' }: Hash,
  ttl: number,
  now: number,
): (Listing & { readonly list: 'consents-of' }) | undefined {
  const parties = partiesOf(id)
  if (parties === undefined) return undefined
  const given = Date.parse(given_at)
  const until = (Number.isNaN(given) ? now : given) + ttl * 1000
  return { list: 'consents-of', owner: parties.sub, id: parties.client_id, until }
}

/** Returns whom the id of a consent is about; undefined: consentId makes no such id. */
function partiesOf(id: string): { readonly sub: Sub; readonly client_id: ClientId } | undefined {
  const [, encoded, client_id = ''] = /^([^:]+):(.+)$/s.exec(id) ?? []
  if (encoded === undefined) return undefined
  try {
    return { sub: decodeURIComponent(encoded), client_id }
  } catch {
    return undefined
  }
}

/** Returns the id of a consent. Two pairs of a user and a client never share an id. */
export function consentId(sub: Sub, client_id: ClientId): string {
  return `${encodeURIComponent(sub.toWellFormed())}:${client_id.toWellFormed()}`
}
