import { parseObject } from '../core/json.ts'
import type { Parameters } from '../core/parameters.ts'
import {
  type CheckContext,
  checkClaims,
  checkClient,
  checkDpopKey,
  checkGrantType,
  checkLength,
  checkMaxAge,
  checkPkce,
  checkPrompt,
  checkRedirectUri,
  checkRequired,
  checkResource,
  checkResponseMode,
  checkResponseType,
  checkScope,
  checkUnsupported,
  type Draft,
  type RequestCheck,
  readUnchecked,
  type TargetCheck,
} from './checks.ts'
import { type AuthorizationRequest, RESPONSE_MODES, type ResponseMode, type Target } from './request.ts'

/** The endpoints that take authorization requests: the columns of the table. */
export type Endpoint = 'authorize'

interface Row<Check> {
  readonly name: string
  readonly check: Check
  /** Which endpoints run the check. */
  readonly at: Readonly<Record<Endpoint, boolean>>
}

const row = <Check>(name: string, check: Check, at: Row<Check>['at']): Row<Check> => ({ name, check, at })

/**
 * The first part of the table, in the order in which the checks run: the first one that fails decides the error. Until
 * all of them passed there is no Target, so their errors cannot be redirected (RFC 6749 §4.1.2.1).
 */
export const TARGET_CHECKS: readonly Row<TargetCheck>[] = [
  row('required', checkRequired, { authorize: true }),
  row('client', checkClient, { authorize: true }),
  row('redirect_uri', checkRedirectUri, { authorize: true }),
]

/** The second part of the table. Errors of these checks are reported to the client. */
export const REQUEST_CHECKS: readonly Row<RequestCheck>[] = [
  row('unsupported', checkUnsupported, { authorize: true }),
  row('response_type', checkResponseType, { authorize: true }),
  row('response_mode', checkResponseMode, { authorize: true }),
  row('grant_type', checkGrantType, { authorize: true }),
  row('resource', checkResource, { authorize: true }),
  row('scope', checkScope, { authorize: true }),
  row('length', checkLength, { authorize: true }),
  row('pkce', checkPkce, { authorize: true }),
  row('dpop_jkt', checkDpopKey, { authorize: true }),
  row('max_age', checkMaxAge, { authorize: true }),
  row('prompt', checkPrompt, { authorize: true }),
  row('claims', checkClaims, { authorize: true }),
  row('unchecked', readUnchecked, { authorize: true }),
]

/**
 * Finds out who sent a request, and where the response goes.
 * @throws OAuthError to be shown to the user, or to the caller of an endpoint without a user, and never to be
 * redirected; StorageUnavailable
 */
export async function identifyTarget(endpoint: Endpoint, given: Draft): Promise<Target> {
  const { parameters } = given
  let draft: Draft & Partial<Target> = given
  for (const { at, check } of TARGET_CHECKS) {
    if (at[endpoint]) draft = { ...draft, ...(await check(draft)) }
  }
  const { client, redirect_uri } = draft
  if (client === undefined || redirect_uri === undefined) throw incomplete(endpoint)
  const { state } = parameters
  return {
    client,
    redirect_uri,
    response_mode: modeOfResponse(parameters),
    ...(state === undefined ? {} : { state }),
  }
}

/**
 * Reads the request that a Target was identified for.
 * @throws OAuthError to be reported to the client; StorageUnavailable
 */
export async function checkRequest(
  endpoint: Endpoint,
  parameters: Parameters,
  target: Target,
  context: CheckContext,
): Promise<AuthorizationRequest> {
  const found: Partial<AuthorizationRequest> = {}
  for (const { at, check } of REQUEST_CHECKS) {
    if (!at[endpoint]) continue
    const read = check(parameters, target, context, found)
    Object.assign(found, read instanceof Promise ? await read : read)
  }
  const { scope, prompt, claims } = found
  if (scope === undefined || prompt === undefined || claims === undefined) throw incomplete(endpoint)
  const { client, redirect_uri } = target
  return { ...found, client, redirect_uri, scope, prompt, claims }
}

const incomplete = (endpoint: Endpoint) => new TypeError(`the checks of ${endpoint} are incomplete`)

// An unsupported mode is an error, which is reported in the default mode.
function modeOfResponse(parameters: Parameters): ResponseMode {
  const { response_mode: asked = modeInObject(parameters.request) } = parameters
  return RESPONSE_MODES.find((mode) => mode === asked) ?? 'query'
}

// A request object is refused in the mode that it asks for: the client may not listen for responses in another one. Its
// signature does not matter, because the query could ask for the same mode.
function modeInObject(jwt: string | undefined): unknown {
  if (jwt === undefined) return undefined
  const claims = parseObject(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) ?? {}
  return Object.hasOwn(claims, 'response_mode') ? claims.response_mode : undefined
}
