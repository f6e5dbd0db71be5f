// What an answer must be. A wrong one ends the measurement, so that a server that errs quickly does not win.
import type { Answer } from './connection.ts'
import type { Settings } from './row.ts'

/** An answer that is not what is to be measured. */
export class WrongAnswer extends Error {
  readonly status: number

  constructor(what: string, { status, body }: Answer) {
    super(`${what}: the answer is ${status} ${body.slice(0, 300)}`)
    this.status = status
  }
}

/** The members of a JSON answer. @throws WrongAnswer if it is no object, or has another status */
export function jsonOf(answer: Answer, status = 200): Record<string, unknown> {
  if (answer.status !== status) throw new WrongAnswer(`expected status ${status}`, answer)
  try {
    const value: unknown = JSON.parse(answer.body)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  throw new WrongAnswer('expected a JSON object', answer)
}

/** The members of an introspection answer that is a JWT by ES256 (RFC 9701 §5). @throws WrongAnswer */
export function introspectionOf(answer: Answer): Record<string, unknown> {
  if (answer.status !== 200) throw new WrongAnswer('expected status 200', answer)
  const [header = '', payload = '', signature = ''] = answer.body.split('.')
  if (algOf(header) !== 'ES256') throw new WrongAnswer('expected a JWT signed by ES256', answer)
  if (signature.length !== SIGNATURE_LENGTH.ES256) throw new WrongAnswer('a cut signature', answer)
  const body = Buffer.from(payload, 'base64url').toString()
  const { token_introspection } = jsonOf({ ...answer, body })
  return jsonOf({ ...answer, body: JSON.stringify(token_introspection ?? null) })
}

/** The length of a signature in base64url, without padding; RS256 with 2048 bits. */
const SIGNATURE_LENGTH = { ES256: 86, EdDSA: 86, RS256: 342 }

/** Checks the tokens of one burst: each must be of the right form and unlike all others. */
export class TokenCheck {
  readonly #settings: Settings
  readonly #seen = new Set<string>()
  readonly #headers = new Map<string, string>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** The access token of an answer. @throws WrongAnswer if it is missing, was seen before or has the wrong form */
  access(answer: Answer, members = jsonOf(answer)): string {
    const token = this.#fresh(answer, members, 'access_token')
    const { format, alg, dpop = false } = this.#settings
    // RFC 9449 §5: another type says that the token is not bound.
    if ((members.token_type === 'DPoP') !== dpop) throw new WrongAnswer('a wrong token_type', answer)
    if (format === 'jwt') this.#signed(answer, token, alg)
    else if (token.split('.').length === 3) throw new WrongAnswer('expected an opaque access token', answer)
    return token
  }

  /** The refresh token of an answer. @throws WrongAnswer as above */
  refresh(answer: Answer, members: Record<string, unknown>): string {
    return this.#fresh(answer, members, 'refresh_token')
  }

  /** @throws WrongAnswer if the answer has no id_token, or one signed by another algorithm */
  id(answer: Answer, members: Record<string, unknown>): void {
    this.#signed(answer, this.#fresh(answer, members, 'id_token', false), this.#settings.id_alg)
  }

  #fresh(answer: Answer, members: Record<string, unknown>, name: string, distinct = true): string {
    const token = members[name]
    if (typeof token !== 'string' || token.length < 20) throw new WrongAnswer(`expected an ${name}`, answer)
    if (distinct && this.#seen.has(token)) throw new WrongAnswer(`the ${name} was issued before`, answer)
    if (distinct) this.#seen.add(token)
    return token
  }

  #signed(answer: Answer, token: string, alg: keyof typeof SIGNATURE_LENGTH): void {
    const [header = '', , signature = ''] = token.split('.')
    let found = this.#headers.get(header)
    if (found === undefined) {
      found = algOf(header)
      this.#headers.set(header, found)
    }
    if (found !== alg) throw new WrongAnswer(`expected a JWT signed by ${alg}, found ${found}`, answer)
    if (signature.length !== SIGNATURE_LENGTH[alg]) throw new WrongAnswer('a cut signature', answer)
  }
}

function algOf(header: string): string {
  try {
    return String(JSON.parse(Buffer.from(header, 'base64url').toString()).alg)
  } catch {
    return 'nothing'
  }
}
