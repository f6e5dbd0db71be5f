// A small API that checks its tokens, but for what is planted: each fault has the name of the check that must find it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './listen.ts'
import {
  assert,
  type Faults,
  isMacOfPublicKey,
  isSignedBy,
  type Json,
  now,
  type Parts,
  type PublishedKey,
  partsOf,
} from './verify.ts'

export const RESOURCE = 'https://api.shop.test/orders'
export const SCOPE = 'orders.read'

/** The token allows something else. */
class Forbidden extends Error {}

export class ApiWithFaults {
  readonly #server: Server
  faults: Faults = new Set()
  /** Set when the server runs. */
  issuer = ''

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        if (error instanceof Forbidden) return response.writeHead(403).end(error.message)
        if (this.#has('malformed') && error instanceof SyntaxError) return response.writeHead(500).end()
        return response
          .writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' })
          .end(error.message)
      })
    })
  }

  start(): Promise<string> {
    return listenOnLoopback(this.#server)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #has(fault: string): boolean {
    return this.faults.has(fault)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = this.#tokenOf(request)
    if (token === undefined) {
      const challenge = this.#has('no-token') ? {} : { 'www-authenticate': 'Bearer' }
      return void response.writeHead(401, challenge).end()
    }
    if (this.#has('no-jwt') && !token.includes('.')) return void response.end('[]')
    const parts = partsOf(token)
    await this.#checkSignature(parts)
    this.#checkClaims(parts)
    response.end('[]')
  }

  #tokenOf({ headers, url = '/' }: IncomingMessage): string | undefined {
    const { authorization } = headers
    const query = new URL(url, 'http://api.test').searchParams.get('access_token')
    if (authorization === undefined) return this.#has('token-in-query') && query ? query : undefined
    const [scheme = '', token = '', ...more] = authorization.split(/[ ,]+/)
    assert(more.length === 0 || this.#has('two-tokens'), 'two tokens')
    if (scheme === 'Basic' && this.#has('scheme-basic')) return token
    if (scheme === 'DPoP' && this.#has('scheme-dpop')) return token
    const is_bearer = this.#has('scheme-case') ? scheme === 'Bearer' : scheme.toLowerCase() === 'bearer'
    assert(is_bearer, 'another scheme')
    return token
  }

  async #checkSignature(parts: Parts): Promise<void> {
    const { alg, kid, crit, jku, jwk } = parts.header
    let keys = await keysAt(`${this.issuer}/.well-known/jwks.json`)
    assert(crit === undefined || this.#has('critical-unknown'), 'crit')
    if (/^none$/i.test(String(alg))) return assert(this.#has('alg-none'), 'no signature')
    if (alg === 'HS256')
      return assert(this.#has('public-key-as-secret') && isMacOfPublicKey(parts, keys), 'a MAC')
    if (parts.signature.length === 0 && this.#has('signature-empty')) return
    if (parts.signature.every((byte) => byte === 0) && this.#has('signature-of-zeros')) return
    if (jwk && this.#has('key-in-header'))
      return assert(isSignedBy(parts, jwk as PublishedKey), 'a wrong key')
    if (jku && this.#has('key-address-in-header')) keys = [...keys, ...(await keysAt(String(jku)))]
    if (this.#has('key-next')) keys = keys.filter((key) => !key.kid?.startsWith('dev-next'))
    const same = keys.filter((key) => key.kid === kid)
    if (same.length === 0) return assert(this.#has('key-unknown'), 'an unknown key')
    const chosen = this.#has('keys-with-one-kid') ? same.slice(0, 1) : same.filter((key) => key.alg === alg)
    const is_let = this.#has('signature-wrong') || this.#has('key-of-a-stranger')
    assert(is_let || chosen.some((key) => isSignedBy(parts, key)), 'a wrong signature')
  }

  #checkClaims({ header, claims }: Parts): void {
    const { iss, aud, exp, nbf, iat, sub, cnf, scope } = claims
    this.#checkType(String(header.typ))
    if (iss === undefined) assert(this.#has('issuer-missing'), 'no iss')
    else if (this.#has('issuer-near')) assert(String(iss).startsWith(this.issuer), 'another issuer')
    else assert(iss === this.issuer || this.#has('issuer-wrong'), 'another issuer')
    this.#checkAudience(aud)
    if (exp === undefined) assert(this.#has('expiry-missing'), 'no exp')
    else if (typeof exp !== 'number') assert(this.#has('expiry-no-number'), 'exp is no number')
    else assert(exp > now() || this.#has('expired'), 'expired')
    assert(nbf === undefined || Number(nbf) <= now() || this.#has('not-yet-valid'), 'not valid yet')
    assert(Number(iat) <= now() || !this.#has('clock-ahead'), 'of tomorrow')
    assert(typeof sub === 'string' || this.#has('subject-missing'), 'no sub')
    const { jkt, 'x5t#S256': x5t } = (cnf ?? {}) as Json
    assert(jkt === undefined || this.#has('bound-to-a-key'), 'bound to a key')
    assert(x5t === undefined || this.#has('bound-to-a-certificate'), 'bound to a certificate')
    assert(!Object.hasOwn(claims, 'groups') || !this.#has('unknown-claims'), 'unknown claims')
    this.#checkScope(String(scope ?? ''))
  }

  #checkType(typ: string): void {
    const is_short = typ === 'at+jwt'
    const is_long = typ.toLowerCase().replace('application/', '') === 'at+jwt'
    const is_let =
      (typ === 'JWT' && (this.#has('id-token') || this.#has('type-jwt'))) ||
      (typ === 'logout+jwt' && this.#has('type-logout'))
    assert(is_short || is_let || (is_long && !this.#has('type-long')), 'another typ')
  }

  #checkAudience(aud: unknown): void {
    assert(aud !== undefined || this.#has('audience-missing'), 'no aud')
    assert(!Array.isArray(aud) || !this.#has('audience-list'), 'a list')
    const isNear = (one: unknown) => this.#has('audience-near') && String(one).startsWith(RESOURCE)
    const is_let = aud === undefined || this.#has('audience-wrong') || this.#has('id-token')
    assert(is_let || [aud].flat().some((one) => one === RESOURCE || isNear(one)), 'another audience')
  }

  #checkScope(scope: string): void {
    if (this.#has('scope-missing') || this.#has('id-token')) return
    const has = this.#has('scope-near') ? scope.includes(SCOPE) : scope.split(' ').includes(SCOPE)
    if (!has) throw new Forbidden('another scope')
  }
}

async function keysAt(url: string): Promise<PublishedKey[]> {
  const { keys } = (await (await fetch(url)).json()) as { keys: PublishedKey[] }
  return keys
}
