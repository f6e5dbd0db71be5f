import { invalidToken } from '../core/bearer-errors.ts'
import { DEV_RULES } from '../core/dev-mode.ts'
import { isObject } from '../core/json.ts'
import { AccessToken } from './access-token.ts'
import type { ProofRules, UsedProofs } from './binding.ts'
import { ACTING_RULES, type ActingRule, checkAccess, checkNeeds } from './check-access.ts'
import { type CertificateOf, certificateOfSocket, thumbprintOf } from './client-certificate.ts'
import type { IntrospectionOptions } from './introspection-client.ts'
import { keyedNonces } from './keyed-nonces.ts'
import {
  checkOptions,
  FLAG,
  FUNCTION,
  LIST,
  OBJECT,
  type OptionRules,
  oneOf,
  REQUIRED_TEXT,
  SECONDS,
  TEXT,
  TEXT_OR_LIST,
} from './option-rules.ts'
import { type ApiRequest, readPresentedToken } from './presented-token.ts'
import { RememberedProofs } from './remembered-proofs.ts'
import { describeResource, metadataUrl, type ResourceOptions } from './resource-metadata.ts'
import { answerTo, type ResourceServer } from './resource-server.ts'
import { STATUS_RULES, type StatusRule } from './status-lists.ts'
import { createVerifier } from './verifier.ts'

/** How an API takes tokens that are bound to the key of a DPoP proof (RFC 9449). */
export interface DpopOptions {
  /** Whether every token must be bound to a key. Default: false. */
  readonly required?: boolean
  /**
   * A secret of at least 32 bytes, the same in every process of the API. With it every proof needs a nonce. Default:
   * none.
   */
  readonly nonce_secret?: string
  /** Where proofs that were used are remembered. Default: the memory of this process. */
  readonly used_proofs?: UsedProofs
}

/** What an API does with tokens for something that counts once. */
export const ONCE_RULES = ['refuse', 'spend'] as const
export type OnceRule = (typeof ONCE_RULES)[number]

export interface ResourceServerOptions extends ResourceOptions {
  /** A token must be for one of these (`aud`). Default: the resource. */
  readonly audience?: string | readonly string[]
  /** How opaque tokens are introspected. Without it they are refused. */
  readonly introspection?: IntrospectionOptions
  /** How tokens with DPoP proofs are taken. */
  readonly dpop?: DpopOptions
  /**
   * Returns the client certificate of a request, which a proxy passes on. Default: that of the connection, if this process
   * terminates TLS.
   */
  readonly certificateOf?: CertificateOf
  /**
   * What is done with tokens with which somebody acts for a user (RFC 8693), such as an agent. `allow` is for an API that
   * looks at `actor` of the token. Default: `refuse`.
   */
  readonly acting?: ActingRule
  /**
   * What is done with tokens for something that counts once: `spend` takes the first request with each, when all else is
   * checked, and needs `introspection`. Default: `refuse`.
   */
  readonly once?: OnceRule
  /**
   * Whether JWTs are looked up in the status list that they name: `read`; `require` refuses JWTs that name none. Default:
   * `ignore`.
   */
  readonly status_lists?: StatusRule
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number
}

const OPTIONS: OptionRules<ResourceServerOptions> = {
  issuer: REQUIRED_TEXT,
  resource: REQUIRED_TEXT,
  audience: TEXT_OR_LIST,
  introspection: OBJECT,
  dpop: OBJECT,
  certificateOf: FUNCTION,
  acting: oneOf(ACTING_RULES),
  dev: oneOf(DEV_RULES),
  status_lists: oneOf(STATUS_RULES),
  once: oneOf(ONCE_RULES),
  scopes_supported: LIST,
  resource_name: TEXT,
  resource_documentation: TEXT,
  tls_client_certificate_bound_access_tokens: FLAG,
  realm: TEXT,
  now: FUNCTION,
}
const DPOP: OptionRules<DpopOptions> = {
  required: FLAG,
  nonce_secret: TEXT,
  used_proofs: {
    is: 'an object with a function `use`',
    accepts: (value) => isObject(value) && typeof value.use === 'function',
  },
}
const INTROSPECTION: OptionRules<IntrospectionOptions> = {
  client_id: REQUIRED_TEXT,
  client_secret: { ...TEXT, required: true },
  cache_seconds: SECONDS,
  signed: FLAG,
}

/**
 * Returns the guard of an API: it verifies access tokens by the documents of their issuer, which it fetches when the
 * first token arrives.
 * @throws TypeError if an option is not known or cannot have its value; the message says what to set
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  checkOptions('the options of the resource server', options, OPTIONS)
  if (options.dpop !== undefined) checkOptions('dpop', options.dpop, DPOP, 'dpop.')
  if (options.introspection !== undefined)
    checkOptions('introspection', options.introspection, INTROSPECTION, 'introspection.')
  const { dpop = {}, certificateOf, introspection, now = Date.now } = options
  const {
    issuer,
    resource,
    audience = resource,
    acting,
    dev = 'refuse',
    status_lists,
    once = 'refuse',
  } = options
  if (once === 'spend' && introspection === undefined)
    throw new TypeError(
      'once needs introspection: only the issuer can say that a token was not spent before.',
    )
  const verify = createVerifier({
    ...{ issuer, audience: [audience].flat(), introspection, dev, now },
    ...(status_lists && { status_lists }),
  })
  const find = certificateOf ?? certificateOfSocket
  const proofs = proofRules(dpop, metadataUrl(resource, dev).origin, now)
  // Without certificateOf it may not work: a proxy may terminate TLS.
  const bound = { tls_client_certificate_bound_access_tokens: certificateOf !== undefined }
  const { place, ...described } = describeResource({ ...bound, ...options }, proofs)
  const gate = {
    verify,
    acting,
    place,
    now,
    proofs,
    certificateOf: (request: ApiRequest) => thumbprintOf(find(request)),
  }
  return {
    ...described,
    async verify(request, needs) {
      if (needs !== undefined) checkNeeds(needs)
      const { token, headers } = await checkAccess(gate, request, needs)
      if (token.claims?.once === true) {
        const presented = readPresentedToken(request, undefined, place)?.token ?? ''
        // Last: what is refused for another reason can still be done.
        if (once === 'refuse' || !(await verify.spend(presented)))
          throw invalidToken(
            'token_invalid',
            `it counts once: ${once === 'refuse' ? 'once is refuse' : 'spent before'}`,
            place,
          )
      }
      return new AccessToken(token, headers)
    },
    answer: answerTo,
  }
}

function proofRules(
  { required = false, nonce_secret, used_proofs }: DpopOptions,
  base: string,
  now: () => number,
): ProofRules {
  return {
    baseOf: () => base,
    required,
    ...(nonce_secret !== undefined && { nonces: keyedNonces(nonce_secret, now) }),
    used: used_proofs ?? new RememberedProofs(now),
  }
}
