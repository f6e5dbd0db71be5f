import { newFamilyId, newToken } from '../../src/core/token-string.ts'
import { send } from '../../src/outbound/operator-fetch.ts'
import { type Jwt, type Signer, signedBy } from '../forge.ts'
import type { SpareKeys } from '../spare-keys.ts'

const LIFETIME = 300

/** What tokens for an API say. */
export interface ApiOptions {
  readonly url: string
  readonly method: string
  readonly issuer: string
  /** What tokens are for: `aud`. */
  readonly resource: string
  /** The scope that the API needs; empty: none. */
  readonly scope: string
  readonly client_id: string
  readonly user: string
  /** Milliseconds since 1970. */
  now(): number
}

/** What an API answered. */
export interface ApiAnswer {
  readonly status: number
  /** `WWW-Authenticate`, empty: there is none. */
  readonly challenge: string
}

/** The API does not answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** An API, asked with tokens. */
export class Api {
  readonly options: ApiOptions
  /** The key with which the server signs its access tokens. */
  readonly signer: Signer
  readonly spare: SpareKeys

  constructor(options: ApiOptions, signer: Signer, spare: SpareKeys) {
    this.options = options
    this.signer = signer
    this.spare = spare
  }

  /** Returns the content of a token that is right in everything (RFC 9068 §2). */
  right(): Jwt {
    const { issuer: iss, resource: aud, client_id, user, scope, now } = this.options
    const iat = Math.floor(now() / 1000)
    const jti = newToken(newFamilyId())
    return {
      header: { alg: this.signer.alg, kid: this.signer.kid, typ: 'at+jwt' },
      claims: { iss, sub: user, aud, client_id, scope, jti, iat, exp: iat + LIFETIME },
    }
  }

  /** Returns a token that is right but for this. */
  token({ header = {}, claims = {} }: Partial<Jwt> = {}, key: Signer = this.signer): string {
    const right = this.right()
    return signedBy(key, {
      header: { ...right.header, alg: key.alg, kid: key.kid, ...header },
      claims: { ...right.claims, ...claims },
    })
  }

  /** Asks the API with these credentials. @throws NoAnswer */
  async ask(
    authorization: string | undefined,
    query: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const url = new URL(this.options.url)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const { method } = this.options
    const has_body = !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method)
    const headers = {
      accept: 'application/json',
      ...(has_body && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
    }
    try {
      const answer = await send(url.href, { method, headers, ...(has_body && { body: '{}' }) })
      await answer.body?.cancel()
      return { status: answer.status, challenge: answer.headers.get('www-authenticate') ?? '' }
    } catch (error) {
      throw new NoAnswer(`${(error as Error).message}.`)
    }
  }
}

/** Whether an API took a token: what it then says of the request itself is its own matter. */
export const isTaken = ({ status }: ApiAnswer): boolean =>
  status < 500 && (status < 300 || status > 399) && status !== 401 && status !== 403
