import { parseToken } from '../ids.ts'

/** Every key that redmint has in Redis; docs/keyspace.md says what each holds. */
export class RedisKeys {
  readonly prefix: string

  constructor(prefix: string) {
    this.prefix = prefix
  }

  /** What every client's key begins with. */
  get clients(): string {
    return `${this.prefix}client:`
  }

  get users(): string {
    return `${this.prefix}user:`
  }

  get signingKeys(): string {
    return `${this.prefix}signing-keys`
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

  // The braces make the grant part the hash tag: all that came of one sign-in is in one Cluster slot.
  code(code: string): string {
    return `${this.prefix}code:${tagged(code)}`
  }

  token(token: string): string {
    return `${this.prefix}token:${tagged(token)}`
  }

  grant(grant: string): string {
    return `${this.prefix}grant:{${grant}}`
  }

  /** The token keys of a grant, a sorted set scored by the instant of expiry in milliseconds. */
  grantTokens(grant: string): string {
    return `${this.prefix}grant-tokens:{${grant}}`
  }
}

function tagged(token: string): string {
  const parts = parseToken(token)
  if (parts === undefined) throw new TypeError('not a code or token string')
  return `{${parts.grant}}.${parts.secret}`
}
