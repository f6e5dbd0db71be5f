import { hash } from 'node:crypto'
import type { TokensAtRest } from '../../config/environment.ts'
import type { FamilyId } from '../../core/ids.ts'
import { parseToken } from '../../core/token-string.ts'
import { type BoundedListId, userOf } from '../bounded-lists.ts'
import type { ListKey } from '../lists.ts'
import type { KindName } from '../records.ts'
import { slotOfKey, suffixFor, tagOf } from './slot.ts'

/** All keys of redmint in Redis; docs/keyspace.md describes their values. */
export class RedisKeys {
  readonly prefix: string
  readonly at_rest: TokensAtRest

  constructor(prefix: string, at_rest: TokensAtRest = 'plain') {
    this.prefix = prefix
    this.at_rest = at_rest
  }

  /**
   * Returns the stored form of a code or token string: the string itself, or with `hashed` its family id and the
   * SHA-256 of its secret, so that a dump of Redis contains no usable token.
   * @throws TypeError if the string is malformed
   */
  stored(token: string): string {
    const parts = parseToken(token)
    if (parts === undefined) throw new TypeError('not a code or token string')
    if (this.at_rest === 'plain') return token
    return `${parts.family}.${hash('sha256', parts.secret, 'base64url')}`
  }

  /** The prefix of the keys of all records of a kind. */
  prefixOf({ name }: KindName): string {
    return `${this.prefix}${name}:`
  }

  /** The sorted set of the ids of all records of a listed kind; equal scores sort them by their bytes. */
  names({ name }: KindName): string {
    return `${this.prefix}names:${name}`
  }

  /** The sorted set of the words by which records of a kind are found. */
  words({ name }: KindName): string {
    return `${this.prefix}words:${name}`
  }

  /** The sorted set of usernames by the time of their last sign-in. */
  get signIns(): string {
    return `${this.prefix}last-sign-ins`
  }

  /**
   * Returns the key of a record.
   * @throws TypeError if the kind has the slot `family` and the id is not a code or token string
   */
  record(kind: KindName, id: string): string {
    // The hash tag is the whole key of the other record, which has none.
    if (kind.beside !== undefined) return `${this.prefixOf(kind)}{${this.prefix}${kind.beside}:${id}}`
    return this.prefixOf(kind) + (kind.slot === 'family' ? tagged(this.stored(id)) : id)
  }

  /** Returns the id in the name of a record's key: what follows the prefix of its kind. */
  idIn({ beside }: KindName, name: string): string {
    if (beside === undefined) return name
    const tag = `{${this.prefix}${beside}:`
    return name.startsWith(tag) && name.endsWith('}') ? name.slice(tag.length, -1) : name
  }

  /** The prefix of the keys of all tokens. */
  get tokens(): string {
    return `${this.prefix}token:`
  }

  /** The prefix of the keys of all grant records. */
  get families(): string {
    return `${this.prefix}grant:`
  }

  get signingKeys(): string {
    return `${this.prefix}signing-keys`
  }

  get sealingKeys(): string {
    return `${this.prefix}sealing-keys`
  }

  get statusLists(): string {
    return `${this.prefix}status-lists`
  }

  /** What belongs to somebody. */
  list({ list, owner }: ListKey): string {
    return `${this.prefix}${list}:${owner}`
  }

  queue(name: string): string {
    return `${this.prefix}${name}`
  }

  /** What waits to be taken by a receiver of security events. */
  outbox(owner: string): string {
    return `${this.prefix}set-outbox:${owner}`
  }

  /** The prefix of the keys of all that proves something for an account. */
  get evidences(): string {
    return `${this.prefix}evidence:`
  }

  /** What proves something for an account; the tag is that of `evidenceTag`. */
  evidence(tag: string): string {
    return `${this.evidences}{${tag}}`
  }

  /** A bounded list and its order, in one slot: of those of a user it is the slot of the record of the user. */
  boundedList(list: BoundedListId): readonly [list: string, order: string] {
    const key = this.#boundedKey(list)
    const order = `${this.prefix}order:`
    if (!/[{}]/.test(key)) return [key, `${order}{${key}}`]
    const beside = order + key.slice(this.prefix.length)
    return [key, tagOf(key) === undefined ? beside + suffixFor(beside, slotOfKey(key)) : beside]
  }

  #boundedKey(list: BoundedListId): string {
    if (typeof list === 'string') return this.prefix + list
    return 'asks_of' in list ? `${this.prefix}asks:${list.asks_of}` : this.#ofUser(userOf(list))
  }

  get trail(): string {
    return `${this.prefix}audit`
  }

  /** The chain over the entries of the audit trail, in its slot. */
  get trailChain(): string {
    return `${this.prefix}audit-chain:{${this.trail}}`
  }

  /** The batches of entries that were added lately, in the slot of the audit trail. */
  get trailBatches(): string {
    return `${this.prefix}audit-batches:{${this.trail}}`
  }

  /** The part of the audit trail of what anybody can repeat, with its chain and batches: in one slot. */
  get repeated(): Readonly<Record<'entries' | 'chain' | 'batches', string>> {
    const keyOf = (name: string) => `${this.prefix}${name}:{audit-repeated}`
    return {
      entries: keyOf('audit-repeated'),
      chain: keyOf('audit-repeated-chain'),
      batches: keyOf('audit-repeated-batches'),
    }
  }

  /** Where in a Cluster there may be entries of the audit trail beside their records. */
  get trailPlaces(): string {
    return `${this.prefix}audit-places`
  }

  /** Entries of the audit trail that are beside their records; the place is that of `placeBeside`. */
  besideRecords(place: string): string {
    return this.#besideRecords + place
  }

  /** Returns what names the slot of a record's key, for `besideRecords`. */
  placeBeside(key: string): string {
    return suffixFor(this.#besideRecords, slotOfKey(key))
  }

  get #besideRecords(): string {
    return `${this.prefix}audit-beside:`
  }

  #ofUser({ name, user }: ReturnType<typeof userOf>): string {
    const record = `${this.prefix}user:${user}`
    if (!/[{}]/.test(user)) return `${this.prefix}${name}:{${record}}`
    const key = `${this.prefix}${name}:${user}`
    return tagOf(user) === undefined ? key + suffixFor(key, slotOfKey(record)) : key
  }

  /**
   * Returns the distinct first parts of keys, such as `client` or `token`, which contain no secret. The key of the restore
   * mark, of which there is one, is returned whole.
   */
  kindsOf(keys: readonly string[]): string[] {
    const names = keys.map((key) => key.slice(this.prefix.length))
    return [...new Set(names.map((name) => (name === 'restore:mark' ? name : (name.split(':')[0] ?? ''))))]
  }

  /** The key that the readiness check writes; it expires. */
  probe(instance: string): string {
    return `${this.prefix}probe:${instance}`
  }

  /** The counters of registrations; their slot is that of the clients that register themselves. */
  get registrations(): string {
    return `${this.prefix}registrations:{clients}`
  }

  client(client_id: string): string {
    return `${this.prefix}client:${client_id}`
  }

  /** A bucket of failure counters. */
  failures(bucket: string): string {
    return `${this.prefix}failures:${bucket}`
  }

  /** The browsers in which a user signed in. */
  browsers(user: string): string {
    return `${this.prefix}browsers:${user}`
  }

  /**
   * Where JWTs are noted whose status is in a list.
   * @param slot in a Cluster that of their families; absent: a script may have keys of several slots
   */
  noted(slot?: number): string {
    const key = `${this.prefix}noted-jwts`
    return slot === undefined ? key : `${key}:${suffixFor(`${key}:`, slot)}`
  }

  token(token: string): string {
    return this.storedToken(this.stored(token))
  }

  /** Returns the key of a token by its stored form. */
  storedToken(stored: string): string {
    return this.tokens + tagged(stored)
  }

  family(family: FamilyId): string {
    return `${this.families}{${family}}`
  }

  /** A key that exists if an operation on a code or token of this family was withdrawn. */
  withdrawn(family: FamilyId, operation: string): string {
    return `${this.prefix}withdrawn:{${family}}.${operation}`
  }

  /** The index of a family: a sorted set of its token keys, scored by their expiry in milliseconds since 1970. */
  familyIndex(family: FamilyId): string {
    return `${this.prefix}grant-tokens:{${family}}`
  }

  /** The derived tokens of a family (RFC 8693): a sorted set of the secret parts of their keys, scored as the index. */
  derivedTokens(family: FamilyId): string {
    return `${this.prefix}derived-tokens:{${family}}`
  }
}

// The braces make the family id the hash tag: all keys of a family are in one Cluster slot.
function tagged(stored: string): string {
  const dot = stored.indexOf('.')
  return `{${stored.slice(0, dot)}}${stored.slice(dot)}`
}
