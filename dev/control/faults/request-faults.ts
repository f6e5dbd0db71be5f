import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../src/context.ts'
import { REALM } from '../../../src/core/challenge.ts'
import { nonceNeeded, useDpopNonce } from '../../../src/core/dpop-errors.ts'
import { isObject, parseObject } from '../../../src/core/json.ts'
import { randomText } from '../../../src/core/token-string.ts'
import type { ServerParts } from '../../server-parts.ts'
import type { EndpointName } from '../endpoints.ts'
import { type AnsweredTokens, changedTokens } from '../tokens/changed-tokens.ts'
import { JWT_FAULT_NAMES, JWT_FAULTS, type JwtFaultName } from '../tokens/token-faults.ts'
import { logoutUser } from './logout-user.ts'
import { reuseRefreshToken } from './reuse-refresh-token.ts'
import { rotateKeys } from './rotate-keys.ts'

/** What a fault is given besides its name. */
export interface FaultOptions {
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly ms?: number | undefined
}

/** A request that a fault happens to. */
export interface StruckRequest {
  readonly parts: ServerParts
  readonly context: Context
  readonly endpoint: EndpointName
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly options: FaultOptions
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
}

/** Something that goes wrong on purpose with requests at an endpoint. */
export interface RequestFault {
  readonly says: string
  /** Where it can happen; absent: anywhere. */
  readonly at?: readonly EndpointName[]
  /** What it takes besides; absent: nothing. */
  readonly takes?: readonly (keyof FaultOptions)[]
  /** Before anything is done. */
  before?(struck: StruckRequest): Promise<unknown>
  /** When all is done. Returns the body that is sent in place of `payload`; undefined: that one. */
  answer?(struck: StruckRequest, payload: unknown): Promise<unknown>
}

const TOKENS: readonly EndpointName[] = ['token']
const SLOW_MS = 5000

/** Ends the connection of a request without an answer. */
function cut({ request, reply }: StruckRequest): void {
  reply.hijack()
  request.raw.socket.destroy()
}

async function pause(ms: number, closing: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    closing.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const answerOf = (status: number, error: string) => ({
  error,
  error_description: `A fault that was asked for at /dev/faults (${status}).`,
})

/** Returns a JSON answer with another content; undefined: it is none. */
async function changedJson(
  payload: unknown,
  change: (body: Record<string, unknown>) => unknown,
): Promise<string | undefined> {
  const text = Buffer.isBuffer(payload) ? payload.toString() : payload
  const body = typeof text === 'string' ? parseObject(text) : undefined
  return body === undefined ? undefined : JSON.stringify(await change({ ...body }))
}

const ofJwt = (fault: JwtFaultName): RequestFault => ({
  says: `the tokens of the answer are ${JWT_FAULTS[fault].says}`,
  at: TOKENS,
  answer: ({ context }, payload) =>
    changedJson(payload, (body) => changedTokens(context, body as AnsweredTokens, { fault })),
})

/** The faults of requests, by name. */
export const REQUEST_FAULTS = {
  status: {
    says: 'answers with `status` (by default 503) and `error` (by default `temporarily_unavailable`), and does nothing',
    takes: ['status', 'error'],
    before: async ({ reply, options: { status = 503, error = 'temporarily_unavailable' } }) =>
      reply.status(status).header('cache-control', 'no-store').send(answerOf(status, error)),
  },
  slow: {
    says: 'does what is asked after `ms` milliseconds (by default 5000)',
    takes: ['ms'],
    before: ({ options: { ms = SLOW_MS }, closing }) => pause(ms, closing),
  },
  cut: {
    says: 'ends the connection before anything is done',
    before: async (struck) => cut(struck),
  },
  lost_answer: {
    says: 'does what is asked, and ends the connection before the answer',
    async answer({ request }) {
      request.raw.socket.destroy()
    },
  },
  rotate_keys: {
    says: 'the keys of the server rotate, then it does what is asked: new tokens have another `kid`',
    before: ({ context }) => rotateKeys(context),
  },
  unknown_kid: {
    says: 'at `jwks`: a key set without the keys of the tokens; at `token`: tokens with a `kid` that is not in the key set',
    at: ['jwks', 'token'],
    answer: ({ context, endpoint }, payload) =>
      changedJson(payload, (body) =>
        endpoint === 'token'
          ? changedTokens(context, body as AnsweredTokens, { fault: 'unknown_kid' })
          : {
              ...body,
              keys: [body.keys]
                .flat()
                .map((key) => ({ ...Object(key), kid: `dev-unknown-${randomText(6)}` })),
            },
      ),
  },
  jwks_404: {
    says: 'there is no key set',
    at: ['jwks'],
    before: async ({ reply }) => reply.status(404).send(answerOf(404, 'not_found')),
  },
  nonce_required: {
    says: 'asks for a DPoP proof with the nonce of the answer (RFC 9449), and does nothing',
    at: ['token', 'pushed_authorization_request', 'userinfo'],
    async before({ context, endpoint }) {
      const nonce = context.proof_nonces.current()
      const why = 'a nonce is required by a fault that was asked for'
      throw endpoint === 'userinfo' ? nonceNeeded(why, nonce, REALM) : useDpopNonce(why, nonce)
    },
  },
  refresh_reused: {
    says: 'the refresh token of the request was used by somebody else before: all tokens of its sign-in end',
    at: TOKENS,
    async before({ context, request: { body } }) {
      const token = isObject(body) ? body.refresh_token : undefined
      if (typeof token === 'string') await reuseRefreshToken(context, token)
    },
  },
  logout_notice: {
    says: 'the person signs out elsewhere while the answer is on its way: its tokens end, and the clients of the sessions get their back-channel logout',
    at: ['token', 'userinfo'],
    async answer({ parts, request }, payload) {
      await logoutUser(parts, request, payload)
    },
  },
  ...(Object.fromEntries(
    JWT_FAULT_NAMES.filter((name) => name !== 'unknown_kid').map((name) => [name, ofJwt(name)]),
  ) as Record<Exclude<JwtFaultName, 'unknown_kid'>, RequestFault>),
} as const satisfies Readonly<Record<string, RequestFault>>

export type FaultName = keyof typeof REQUEST_FAULTS
export const FAULT_NAMES = Object.keys(REQUEST_FAULTS) as FaultName[]
