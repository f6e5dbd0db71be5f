import { allowedClaims } from '../claims/claims.ts'
import { formatClaimsRequest } from '../claims/claims-request.ts'
import { getsJwt } from '../claims/userinfo.ts'
import { codeTtl } from '../clients/record/profiles.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { FamilyId } from '../core/ids.ts'
import { newToken } from '../core/token-string.ts'
import type { NewCode } from '../interaction/answered.ts'
import { idsOf } from '../resources/target.ts'
import type { CodeRecord } from '../tokens/code-record.ts'
import type { IssueStep } from './decide.ts'

/** What it takes to make a code. */
export interface NewCodeContext {
  readonly settings: Pick<Settings, 'code_ttl' | 'pairwise_salt' | 'scope_claims'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Returns a new code of a family, to be stored. */
export function newCode(context: NewCodeContext, step: IssueStep, family: FamilyId): NewCode {
  const ttl = codeTtl(step.request.client, context.settings.code_ttl)
  return { code: newToken(family), record: codeRecord(context, step), ttl }
}

function codeRecord({ settings, now }: NewCodeContext, { request, subject, session }: IssueStep): CodeRecord {
  const { client, redirect_uri, scope, code_challenge, nonce, dpop_jkt, resources } = request
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
    auth_time: session?.auth_time ?? Math.floor(now() / 1000),
    ...(session && { sid: sidFor(client, session.sid, settings), amr: session.amr, acr: session.acr }),
    ...(claims === undefined ? {} : { claims }),
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(dpop_jkt === undefined ? {} : { dpop_jkt }),
    ...(resources === undefined ? {} : { resource: idsOf(resources) }),
  }
}
