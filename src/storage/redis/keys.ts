import { createHash } from 'node:crypto'
import type { TokensAtRest } from '../../config/environment.ts'
import type { FamilyId } from '../../core/ids.ts'
import { parseToken } from '../../core/token-string.ts'
import type { KindName } from '../records.ts'

/** Every key that redmint has in Redis; docs/keyspace.md says what each holds. */
export class RedisKeys {
  readonly prefix: string
  readonly #at_rest: TokensAtRest

  constructor(prefix: string, at_rest: TokensAtRest = 'plain') {
    this.prefix = prefix
    this.#at_rest = at_rest
  }

  /**
   * What stands for a code or token string in keys and records: itself, or with `hashed` its family part and
   * the SHA-256 of its secret part, which nobody who reads a dump can present.
   * @throws TypeError if it is no such string
   */
  stored(token: string): string {
    const parts = parseToken(token)
    if (parts === undefined) throw new TypeError('not a code or token string')
    if (this.#at_rest === 'plain') return token
    return `${parts.grant}.${createHash('sha256').update(parts.secret).digest('base64url')}`
  }

  /** What the keys of all records of a kind begin with. */
  prefixOf({ name }: KindName): string {
    return `${this.prefix}${name}:`
  }

  /**
   * The key of a record.
   * @throws TypeError if the id is no code or token string, for a kind whose ids are
   */
  record(kind: KindName, id: string): string {
    return this.prefixOf(kind) + (kind.slot === 'family' ? tagged(this.stored(id)) : id)
  }

  /** What the keys of all tokens begin with. */
  get tokens(): string {
    return `${this.prefix}token:`
  }

  /** What the keys of all families begin with. */
  get families(): string {
    return `${this.prefix}grant:`
  }

  get signingKeys(): string {
    return `${this.prefix}signing-keys`
  }

  queue(name: string): string {
    return `${this.prefix}${name}`
  }

  /** What comes first in keys, each once: `client`, `token`, `grant`. It holds no secret. */
  kindsOf(keys: readonly string[]): string[] {
    return [...new Set(keys.map((key) => key.slice(this.prefix.length).split(':')[0] ?? ''))]
  }

  /** The key that readiness writes; it expires by itself. */
  probe(instance: string): string {
    return `${this.prefix}probe:${instance}`
  }

  /** The count of the failures under a name. */
  failures(name: string): string {
    return `${this.prefix}failures:${name}`
  }

  /** Says that a browser belongs to a user. */
  browser(name: string): string {
    return `${this.prefix}browser:${name}`
  }

  token(token: string): string {
    return this.tokens + tagged(this.stored(token))
  }

  family(family: FamilyId): string {
    return `${this.families}{${family}}`
  }

  /** Says that an operation on a code or token of this family was taken back. */
  withdrawn(family: FamilyId, operation: string): string {
    return `${this.prefix}withdrawn:{${family}}.${operation}`
  }

  /** The token keys of a family, a sorted set scored by the instant of expiry in milliseconds. */
  familyIndex(family: FamilyId): string {
    return `${this.prefix}grant-tokens:{${family}}`
  }
}

// The braces make the family part the hash tag: all that came of one sign-in is in one Cluster slot.
function tagged(stored: string): string {
  const [family, secret] = stored.split('.')
  return `{${family}}.${secret}`
}
