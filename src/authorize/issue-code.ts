import { allowedClaims } from '../claims/claims.ts'
import { formatClaimsRequest } from '../claims/claims-request.ts'
import { getsJwt } from '../claims/userinfo.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { FamilyId } from '../core/ids.ts'
import { newToken } from '../core/token-string.ts'
import { idsOf } from '../resources/target.ts'
import { type JoinContext, joinFor } from '../sessions/join-session.ts'
import type { CodeRecord } from '../tokens/code-record.ts'
import type { IssueStep } from './decide.ts'

/** What it takes to issue a code. */
export type IssueContext = JoinContext & {
  readonly settings: Pick<Settings, 'pairwise_salt' | 'scope_claims'>
}

/**
 * Issues a code.
 * @param grant the grant part of the code
 * @param write stores the code
 * @returns the code; undefined if the session ended meanwhile
 * @throws StorageUnavailable; an error of `write`
 */
export async function issueCode(
  context: IssueContext,
  step: IssueStep,
  grant: FamilyId,
  write: (code: string, record: CodeRecord) => Promise<void>,
): Promise<string | undefined> {
  // The session knows the client before there is a code, so that no logout overlooks it.
  const { session, request } = step
  const joined = session && (await joinFor(context, session, request.client, request.scope, grant))
  if (joined === 'missing') return undefined
  const code = newToken(grant)
  await write(code, codeRecord(context, step))
  return code
}

function codeRecord({ settings, now }: IssueContext, { request, subject, session }: IssueStep): CodeRecord {
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
