import type { Parameters } from '../core/parameters.ts'
import { decodeJwt } from '../keys/jwt-reader.ts'
import {
  type CheckContext,
  checkAuthorizationDetails,
  checkClient,
  checkDetailsPushed,
  checkDpopKey,
  checkGrantType,
  checkLength,
  checkPkce,
  checkPushed,
  checkPushedLength,
  checkReadable,
  checkRedirectUri,
  checkRequired,
  checkResource,
  checkResponseMode,
  checkResponseType,
  checkScope,
  checkSigned,
  checkUnsupported,
  type Draft,
  type RequestCheck,
  type TargetCheck,
} from './checks.ts'
import { type AuthorizationRequest, RESPONSE_MODES, type ResponseMode, type Target } from './request.ts'
import {
  checkAcr,
  checkClaims,
  checkIdTokenHint,
  checkMaxAge,
  checkPrompt,
  readUnchecked,
} from './sign-in-checks.ts'

/**
 * Where a request is checked, the columns of the table: at the endpoint that receives it, and again after that endpoint
 * `accepted` it: when a pushed request is used, or a request waited for the user.
 */
export type Stage = 'authorize' | 'par' | 'accepted'

interface Row<Check> {
  readonly name: string
  readonly check: Check
  /** Where the check runs. */
  readonly at: Readonly<Record<Stage, boolean>>
}

const row = <Check>(name: string, check: Check, at: Row<Check>['at'] = ANYWHERE): Row<Check> => ({
  name,
  check,
  at,
})
const ANYWHERE = { authorize: true, par: true, accepted: true }
const WHERE_SENT = { authorize: true, par: true, accepted: false }

/**
 * The first part of the table, in the order in which the checks run: the first one that fails decides the error. Until
 * all of them passed there is no Target, so their errors cannot be redirected (RFC 6749 §4.1.2.1).
 */
export const TARGET_CHECKS: readonly Row<TargetCheck>[] = [
  row('required', checkRequired),
  // The pushed authorization request endpoint authenticated it.
  row('client', checkClient, { authorize: true, par: false, accepted: true }),
  row('redirect_uri', checkRedirectUri),
]

/** The second part of the table. Errors of these checks are reported to the client. */
export const REQUEST_CHECKS: readonly Row<RequestCheck>[] = [
  row('readable', checkReadable, WHERE_SENT),
  row('unsupported', checkUnsupported, WHERE_SENT),
  row('signed', checkSigned, WHERE_SENT),
  row('pushed', checkPushed, { authorize: true, par: false, accepted: false }),
  row('response_type', checkResponseType),
  row('response_mode', checkResponseMode),
  row('client_grant_types', checkGrantType),
  row('resource', checkResource),
  row('scope', checkScope),
  row('authorization_details', checkAuthorizationDetails),
  row('details_pushed', checkDetailsPushed, { authorize: true, par: false, accepted: false }),
  row('length', checkLength, { authorize: true, par: false, accepted: false }),
  row('pushed_length', checkPushedLength, { authorize: false, par: true, accepted: false }),
  row('pkce', checkPkce),
  row('dpop_jkt', checkDpopKey),
  row('max_age', checkMaxAge),
  row('prompt', checkPrompt),
  row('claims', checkClaims),
  // Its subject is kept with the request.
  row('id_token_hint', checkIdTokenHint, WHERE_SENT),
  row('acr', checkAcr),
  row('unchecked', readUnchecked),
]

/**
 * Finds out who sent a request, and where the response goes.
 * @throws OAuthError to be shown to the user, or to the caller of an endpoint without a user, and never to be
 * redirected; StorageUnavailable
 */
export async function identifyTarget(stage: Stage, given: Draft): Promise<Target> {
  const { parameters } = given
  // Not a spread: the members that join a copy cost 0.8 µs each on Node 20 (decision 76).
  const draft: Draft & Partial<Target> = Object.assign({}, given)
  for (const { at, check } of TARGET_CHECKS) {
    if (!at[stage]) continue
    const part = check(draft)
    Object.assign(draft, part instanceof Promise ? await part : part)
  }
  const { client, redirect_uri } = draft
  if (client === undefined || redirect_uri === undefined) throw incomplete(stage)
  // A state that cannot be read is left out: nobody knows which value, if any, the client would recognise as its own.
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
 * @param is_signed whether the parameters are those of a verified request object
 * @throws OAuthError to be reported to the client; StorageUnavailable
 */
export async function checkRequest(
  stage: Stage,
  parameters: Parameters,
  target: Target,
  context: CheckContext,
  is_signed?: boolean,
): Promise<AuthorizationRequest> {
  const found: Partial<AuthorizationRequest> = is_signed ? { is_signed } : {}
  for (const { at, check } of REQUEST_CHECKS) {
    if (!at[stage]) continue
    const part = check(parameters, target, context, found)
    // Most checks need nothing that has to be waited for.
    Object.assign(found, part instanceof Promise ? await part : part)
  }
  const { scope, prompt, claims } = found
  if (scope === undefined || prompt === undefined || claims === undefined) throw incomplete(stage)
  const { client, redirect_uri } = target
  return Object.assign(found, { client, redirect_uri, scope, prompt, claims })
}

const incomplete = (stage: Stage) => new TypeError(`the checks of ${stage} are incomplete`)

// An unsupported mode is an error, which is reported in the default mode.
function modeOfResponse(parameters: Parameters): ResponseMode {
  const { response_mode: asked = modeInObject(parameters.request) } = parameters
  return RESPONSE_MODES.find((mode) => mode === asked) ?? 'query'
}

// An unsigned request object is refused in the mode that it asks for: the client may not listen for responses in another
// one. The query could ask for the same mode.
function modeInObject(jwt: string | undefined): unknown {
  return jwt === undefined ? undefined : decodeJwt(jwt)?.claims.response_mode
}
