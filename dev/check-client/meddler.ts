import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type SigningAlg, verifiedAlg } from '../../src/core/algs.ts'
import { parseObject } from '../../src/core/json.ts'
import { PATHS } from '../../src/core/paths.ts'
import type { KeyRing } from '../../src/keys/ring.ts'
import { type Jwt, readJwt, type Signer, signedBy } from '../forge.ts'
import { type SpareKeys, signerOf } from '../spare-keys.ts'
import type { Tap } from '../taps.ts'

type Json = Readonly<Record<string, unknown>>

/** A JWT as the server made it, and what it takes to make another one. */
export interface MadeJwt extends Jwt {
  /** The key that signed it. */
  readonly signer: Signer
  readonly spare: SpareKeys
}

/** How the answers of the server are changed while a check runs; what is absent stays as it is. */
export interface Meddling {
  /** Returns the id_token that is sent; undefined: none is. */
  readonly id_token?: (made: MadeJwt) => string | undefined
  /** Changes what the token endpoint answers. */
  readonly tokens?: (answer: Json) => Json
  /** Answers in place of the token endpoint, which is not asked then; undefined: it is asked. */
  readonly instead?: (nth: number) => InPlace | undefined
  /** How long the token endpoint takes before it begins, in milliseconds. */
  readonly slow?: number
  /** Whether the connection ends when the token endpoint has refreshed tokens, instead of the first such answer. */
  readonly loses_refresh?: boolean
  readonly userinfo?: (answer: Json) => Json
  readonly metadata?: (answer: Json) => Json
  /** Keys that are published besides. */
  readonly keys?: readonly object[]
}

interface InPlace {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** A request of the relying party to the server. */
export interface Seen {
  readonly path: string
  readonly form: Json
  /** Whether its answer was changed. */
  readonly is_changed: boolean
}

/** Changes the answers of a server, and remembers what the relying party asked it for. */
export class Meddler implements Tap {
  /** Since the beginning of the check. */
  seen: Seen[] = []
  /** Whether the relying party ever read the keys, with which signatures are checked. */
  has_read_keys = false
  readonly spare: SpareKeys
  readonly #keys: Pick<KeyRing, 'signingKey'>
  /** The keys that are published besides those of the server. */
  readonly published: object[]
  #meddling: Meddling = {}
  #token_requests = 0

  constructor(keys: Pick<KeyRing, 'signingKey'>, spare: SpareKeys) {
    this.spare = spare
    this.#keys = keys
    this.published = [...spare.published]
  }

  /** Begins a check. */
  begin(): void {
    this.seen = []
    this.meddle({})
  }

  /** Changes answers from now on. */
  meddle(meddling: Meddling): void {
    this.#meddling = meddling
    this.#token_requests = 0
    // A key that is gone again would say something else.
    this.published.push(...(meddling.keys ?? []))
  }

  /** Returns the requests of a grant since the beginning of the check. */
  tokenRequests(grant_type: string): Seen[] {
    return this.seen.filter(({ path, form }) => path === PATHS.token && form.grant_type === grant_type)
  }

  async before(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (request.routeOptions.url !== PATHS.token) return undefined
    const { slow, instead } = this.#meddling
    const answer = instead?.(++this.#token_requests)
    if (slow !== undefined) await pause(slow)
    if (answer === undefined) return undefined
    return reply
      .code(answer.status)
      .headers({ 'content-type': answer.type, 'cache-control': 'no-store' })
      .send(answer.body)
  }

  async answer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const path = request.routeOptions.url ?? ''
    if (path === PATHS.jwks) this.has_read_keys = true
    const is_text = typeof payload === 'string' || Buffer.isBuffer(payload)
    const text = reply.statusCode === 200 && is_text ? String(payload) : undefined
    const changed = text === undefined ? text : this.#changedText(path, text, request)
    const is_changed = changed !== text
    this.seen.push({ path, form: (request.body ?? {}) as Json, is_changed })
    if (!is_changed) return payload
    // Or a client would keep one of the two answers.
    reply.removeHeader('etag').header('cache-control', 'no-store')
    return changed
  }

  /** Returns a JWT with what it takes to make another one; undefined: it is encrypted. */
  made(token: string): MadeJwt | undefined {
    const jwt = readJwt(token)
    const alg: SigningAlg | undefined = verifiedAlg(jwt?.header.alg)
    return jwt && alg && { ...jwt, signer: signerOf(this.#keys, alg), spare: this.spare }
  }

  #changedText(path: string, text: string, request: FastifyRequest): string {
    const json = parseObject(text)
    if (json !== undefined) {
      const changed = this.#changed(path, json, request)
      return changed === json ? text : JSON.stringify(changed)
    }
    const { userinfo } = this.#meddling
    // It is signed for clients that want it so.
    const made = path === PATHS.userinfo && userinfo ? this.made(text) : undefined
    return made && userinfo
      ? signedBy(made.signer, { header: made.header, claims: userinfo(made.claims) })
      : text
  }

  #changed(path: string, json: Json, request: FastifyRequest): Json {
    const { userinfo, metadata } = this.#meddling
    switch (path) {
      case PATHS.token:
        return this.#changedTokens(json, request)
      case PATHS.userinfo:
        return userinfo?.(json) ?? json
      default:
        return isMetadata(json) ? (metadata?.(json) ?? json) : json
    }
  }

  #changedTokens(json: Json, { body, raw }: FastifyRequest): Json {
    const { tokens, id_token: change, loses_refresh } = this.#meddling
    const is_refresh = (body as Json).grant_type === 'refresh_token'
    if (is_refresh && loses_refresh) {
      this.#meddling = {}
      raw.socket.destroy()
      return json
    }
    const { id_token } = json
    const made = typeof id_token === 'string' && change ? this.made(id_token) : undefined
    const answer = made === undefined ? json : { ...json, id_token: change?.(made) }
    return tokens?.(answer) ?? answer
  }
}

const isMetadata = (json: Json) =>
  typeof json.issuer === 'string' && typeof json.authorization_endpoint === 'string'
