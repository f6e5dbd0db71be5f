import { allowedClaims } from '../claims/claims.ts'
import { formatClaimsRequest } from '../claims/claims-request.ts'
import { getsJwt } from '../claims/userinfo.ts'
import type { Client } from '../clients/record/client-record.ts'
import { codeTtl } from '../clients/record/profiles.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { FamilyId } from '../core/ids.ts'
import { newToken } from '../core/token-string.ts'
import { checkedText } from '../details/check-details.ts'
import type { NewCode } from '../interaction/answered.ts'
import { idsOf } from '../resources/target.ts'
import type { Session } from '../sessions/session.ts'
import type { CodeRecord } from '../tokens/code-record.ts'
import { grantListings, refreshLimit } from '../tokens/grant-listings.ts'
import { receiverListing } from '../tokens/receiver-listing.ts'
import type { IssueStep } from './decide.ts'

/** What it takes to make a code. */
export interface NewCodeContext {
  readonly settings: Pick<Settings, 'code_ttl' | 'pairwise_salt' | 'scope_claims' | 'shared_signals'>
  /** When the request began, in milliseconds since 1970. */
  readonly began: () => number
}

/** Returns a new code of a family, to be stored. */
export function newCode(context: NewCodeContext, step: IssueStep, family: FamilyId): NewCode {
  const ttl = codeTtl(step.request.client, context.settings.code_ttl)
  const began = context.began()
  // An end that came since it was decided ends it.
  const started_at = Math.min(began, step.agreed_at ?? began)
  const record = codeRecord(context, step, started_at)
  const { client_id, username } = record
  const lasts = ttl + (began - started_at) / 1000
  const { client } = step.request
  const lists = [
    ...grantListings({ family, client_id, username, started_at }, lasts),
    ...receiverListing(context.settings, { client, sub: step.session?.sub, started_at }),
  ]
  return { code: newToken(family), record, ttl, lists }
}

function codeRecord(
  { settings }: NewCodeContext,
  { request, subject, session }: IssueStep,
  started_at: number,
): CodeRecord {
  const { client, redirect_uri, scope, code_challenge, nonce, dpop_jkt, resources, details } = request
  const { userinfo, id_token } = request.claims
  // The user was not asked about the others, so they are not issued if the client may obtain them later.
  const allowed = (names: readonly string[]) =>
    allowedClaims(names, client.allowed_scopes, settings.scope_claims)
  const claims = formatClaimsRequest({
    userinfo: allowed(userinfo),
    id_token: allowed(id_token),
    as_jwt: client.document_host !== undefined && getsJwt(client),
  })
  return {
    client_id: client.client_id,
    redirect_uri,
    scope,
    subject,
    // The user of the demo shortcut counts as signed in at this moment.
    username: session?.username ?? subject,
    auth_time: session?.auth_time ?? Math.floor(started_at / 1000),
    started_at: String(started_at),
    ...(session && ofSession(session, client, settings)),
    ...(claims === undefined ? {} : { claims }),
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(dpop_jkt === undefined ? {} : { dpop_jkt }),
    ...(resources === undefined ? {} : { resource: idsOf(resources) }),
    ...(details === undefined ? {} : { authorization_details: checkedText(details) }),
    ...refreshLimit(scope),
  }
}

/** What the record of a code says of the session of its user. */
function ofSession(
  { sid, amr, acr, started_at }: Session,
  client: Client,
  settings: NewCodeContext['settings'],
): Pick<CodeRecord, 'sid' | 'amr' | 'acr' | 'session_started_at'> {
  return { sid: sidFor(client, sid, settings), amr, acr, session_started_at: String(started_at) }
}
