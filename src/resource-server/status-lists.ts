import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { issuerUnavailable } from '../core/bearer-errors.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { isObject } from '../core/json.ts'
import { isUrl } from '../core/uri.ts'
import { fetchText } from '../outbound/operator-fetch.ts'
import { STATUS_LIST_JWT } from '../tokens/jwt.ts'
import { Kept } from './kept.ts'

/** Which JWTs are looked up in the status list that they name. */
export const STATUS_RULES = ['ignore', 'read', 'require'] as const
/** `read`: those that name one. `require`: the others are refused. */
export type StatusRule = (typeof STATUS_RULES)[number]

type Claims = Readonly<Record<string, unknown>>

/** Verifies the signature and the type of a list, and returns its claims. @throws Error that says what is wrong */
export type OpenList = (jwt: string) => Promise<Claims>

/** What lists are read with. */
interface ListsOptions {
  readonly issuer: string
  readonly open: OpenList
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Where the status of a token is (draft-ietf-oauth-status-list §6.2). */
interface Reference {
  readonly index: number
  readonly uri: string
}

/** A list that was read. */
interface ReadList {
  readonly bytes: Uint8Array
  readonly bits: number
  /** In milliseconds since 1970. */
  readonly issued_at: number
  readonly expires_at: number
  /** How long it may be used before a newer one is asked for, in milliseconds. */
  readonly ttl: number
}

/** The most bytes that a list may have once it is inflated: a megabyte has the bits of eight million tokens. */
const MAX_BYTES = 2 ** 20

/** Of so many lists one is kept. */
const MAX_LISTS = 64

/** The bounds of `ttl` in seconds; of a list without one it is the upper one (§13.7). */
const TTL = { least: 1, most: 300 }

/** How many bits a status may have (§4.2). */
const BITS: readonly unknown[] = [1, 2, 4, 8]

const inflated = promisify(inflate)

/**
 * The status lists of an issuer. A list is fetched when it is older than its `ttl`, by one request at a time; after twice
 * that nothing is said by it any more.
 */
export class StatusLists {
  readonly #options: ListsOptions
  readonly #lists = new Map<string, Kept<ReadList>>()

  constructor(options: ListsOptions) {
    this.#options = options
  }

  /**
   * Returns why a token is refused by its status; undefined: it is good.
   * @param claims those of the token, which is verified
   * @param required whether a token that names no list is refused
   * @throws OAuthError `temporarily_unavailable` if nobody knows
   */
  async refusalOf({ status }: Claims, required: boolean): Promise<string | undefined> {
    if (!isObject(status) || status.status_list === undefined)
      return required ? 'it names no status list' : undefined
    const reference = this.#referenceIn(status.status_list)
    if (reference === undefined) return 'its status_list is not one of its issuer'
    const { index, uri } = reference
    const list = await this.#listAt(uri).read()
    if (list.expires_at <= this.#options.now())
      throw issuerUnavailable(new Error(`the status list ${uri} has expired`))
    const value = statusAt(list, index)
    // §8.3: no statement can be made.
    if (value === undefined) return 'its status list has no such index'
    return value === 0 ? undefined : 'its status list says that it was ended'
  }

  // Nothing is fetched from elsewhere, whoever wrote the claim.
  #referenceIn(claim: unknown): Reference | undefined {
    if (!isObject(claim)) return undefined
    const { idx, uri } = claim
    if (!Number.isSafeInteger(idx) || Number(idx) < 0 || typeof uri !== 'string') return undefined
    return isUrl(uri) && new URL(uri).origin === new URL(this.#options.issuer).origin
      ? { index: Number(idx), uri }
      : undefined
  }

  #listAt(uri: string): Kept<ReadList> {
    const known = this.#lists.get(uri)
    if (known !== undefined) return known
    let last: ReadList | undefined
    const load = async () => {
      last = await this.#fetch(uri, last)
      return last
    }
    const { now } = this.#options
    const list = new Kept(load, now, ({ ttl }) => ({ fresh: ttl, usable: 2 * ttl }))
    const [oldest] = this.#lists.keys()
    if (oldest !== undefined && this.#lists.size >= MAX_LISTS) this.#lists.delete(oldest)
    this.#lists.set(uri, list)
    return list
  }

  /** @param last the list that was read before: an earlier one than that could say less */
  async #fetch(uri: string, last: ReadList | undefined): Promise<ReadList> {
    const { open, issuer, now } = this.#options
    const claims = await open(await fetchText(uri, { headers: { accept: STATUS_LIST_JWT } }))
    const list = await readList(claims)
    const { sub, iss = issuer } = claims
    const fault = (what: string) => new Error(`the status list at ${uri} ${what}`)
    if (sub !== uri) throw fault('is about another address')
    if (iss !== issuer) throw fault('is of another issuer')
    if (list.issued_at > now() + CLOCK_SKEW * 1000) throw fault('is from the future')
    if (list.expires_at <= now()) throw fault('has expired')
    if (last !== undefined && list.issued_at < last.issued_at) throw fault('is older than the one before')
    return list
  }
}

/** Reads the claims of a list (§5.1, §4.2). @throws Error that says what is wrong */
async function readList({ iat, exp, ttl, status_list }: Claims): Promise<ReadList> {
  if (typeof iat !== 'number' || !isNumberOrAbsent(exp) || !isNumberOrAbsent(ttl))
    throw new Error('the iat, exp or ttl of the status list is not a number')
  const { bits, lst } = isObject(status_list) ? status_list : {}
  if (typeof lst !== 'string' || !BITS.includes(bits))
    throw new Error('the status list has no lst, or bits that are not known')
  const bytes = await inflated(Buffer.from(lst, 'base64url'), { maxOutputLength: MAX_BYTES })
  const seconds = Math.min(TTL.most, Math.max(TTL.least, ttl ?? TTL.most))
  const expires_at = exp === undefined ? Number.POSITIVE_INFINITY : exp * 1000
  return { bytes, bits: Number(bits), issued_at: iat * 1000, expires_at, ttl: seconds * 1000 }
}

const isNumberOrAbsent = (value: unknown): value is number | undefined =>
  value === undefined || Number.isFinite(value)

/** Returns the status at an index, the lowest bits of a byte first (§4.1); undefined: there is none. */
function statusAt({ bytes, bits }: ReadList, index: number): number | undefined {
  const in_byte = 8 / bits
  const byte = bytes[Math.floor(index / in_byte)]
  return byte === undefined ? undefined : (byte >> ((index % in_byte) * bits)) & (2 ** bits - 1)
}
