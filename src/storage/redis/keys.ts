import { createHash } from 'node:crypto'
import type { TokensAtRest } from '../../config/environment.ts'
import { parseToken } from '../../core/token-string.ts'
import { consentName } from '../common.ts'

/** Every key that redmint has in Redis; docs/keyspace.md says what each holds. */
export class RedisKeys {
  readonly prefix: string
  readonly #at_rest: TokensAtRest

  constructor(prefix: string, at_rest: TokensAtRest = 'plain') {
    this.prefix = prefix
    this.#at_rest = at_rest
  }

  /**
   * What stands for a code or token string in keys and records: itself, or with `hashed` its grant part and
   * the SHA-256 of its secret part, which whoever reads a dump cannot present.
   * @throws TypeError where it is no such string
   */
  stored(token: string): string {
    const parts = parseToken(token)
    if (parts === undefined) throw new TypeError('not a code or token string')
    if (this.#at_rest === 'plain') return token
    return `${parts.grant}.${createHash('sha256').update(parts.secret).digest('base64url')}`
  }

  /** What every client's key begins with. */
  get clients(): string {
    return `${this.prefix}client:`
  }

  get users(): string {
    return `${this.prefix}user:`
  }

  /** What the keys of all codes, tokens and grants begin with. */
  get codes(): string {
    return `${this.prefix}code:`
  }

  get tokens(): string {
    return `${this.prefix}token:`
  }

  get grants(): string {
    return `${this.prefix}grant:`
  }

  get sessions(): string {
    return `${this.prefix}session:`
  }

  /** The queue of logouts that clients have yet to hear of. */
  get logouts(): string {
    return `${this.prefix}logouts`
  }

  get signingKeys(): string {
    return `${this.prefix}signing-keys`
  }

  /** What comes first in keys, each once: `client`, `token`, `grant`. It holds no secret. */
  kindsOf(keys: readonly string[]): string[] {
    return [...new Set(keys.map((key) => key.slice(this.prefix.length).split(':')[0] ?? ''))]
  }

  client(client_id: string): string {
    return `${this.clients}${client_id}`
  }

  user(username: string): string {
    return `${this.users}${username}`
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

  session(id: string): string {
    return `${this.sessions}${id}`
  }

  consent(sub: string, client_id: string): string {
    return `${this.prefix}consent:${consentName(sub, client_id)}`
  }

  // The braces make the grant part the hash tag: all that came of one sign-in is in one Cluster slot.
  code(code: string): string {
    return `${this.codes}${tagged(this.stored(code))}`
  }

  /** A request that waits for a person, in the slot of the code that will be its answer. */
  pending(id: string): string {
    return `${this.prefix}pending:${tagged(this.stored(id))}`
  }

  token(token: string): string {
    return `${this.tokens}${tagged(this.stored(token))}`
  }

  grant(grant: string): string {
    return `${this.grants}{${grant}}`
  }

  /** Says that an operation on a code or token of this grant was taken back. */
  withdrawn(grant: string, operation: string): string {
    return `${this.prefix}withdrawn:{${grant}}.${operation}`
  }

  /** The token keys of a grant, a sorted set scored by the instant of expiry in milliseconds. */
  grantTokens(grant: string): string {
    return `${this.prefix}grant-tokens:{${grant}}`
  }
}

function tagged(stored: string): string {
  const [grant, secret] = stored.split('.')
  return `{${grant}}.${secret}`
}
