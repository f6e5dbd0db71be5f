import { allowedClaims } from '../claims/claims.ts'
import { formatClaimsRequest } from '../claims/claims-request.ts'
import type { FamilyId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { newToken } from '../core/token-string.ts'
import { joinSession } from '../sessions/session-store.ts'
import type { Changed } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { CodeRecord } from '../tokens/code-record.ts'
import type { IssueStep } from './decide.ts'

/** What it takes to issue a code. */
export interface IssueContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
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
  if ((await join(context, step, grant)) === 'missing') return undefined
  const code = newToken(grant)
  await write(code, codeRecord(step, context.now()))
  return code
}

async function join({ storage }: IssueContext, step: IssueStep, grant: FamilyId): Promise<Changed> {
  const { session, consented, request } = step
  if (session === undefined) return 'ok'
  const { client_id, logout_ends_tokens } = request.client
  // OpenID Connect Back-Channel Logout §2.7: offline access is meant to outlive the session.
  const ends = logout_ends_tokens && !scopeNames(request.scope).includes('offline_access')
  if (!ends && session.clients.get(client_id) === consented) return 'ok'
  return joinSession(storage, session.id, client_id, consented, ends ? grant : undefined)
}

function codeRecord({ request, subject, session }: IssueStep, now: number): CodeRecord {
  const { client, redirect_uri, scope, code_challenge, nonce } = request
  const { userinfo, id_token } = request.claims
  // The user was not asked about the others, so they are not issued if the client may obtain them later.
  const allowed = (names: readonly string[]) => allowedClaims(names, client.allowed_scopes)
  const claims = formatClaimsRequest({ userinfo: allowed(userinfo), id_token: allowed(id_token) })
  return {
    client_id: client.client_id,
    redirect_uri,
    scope,
    subject,
    // The user of the demo shortcut counts as signed in at this moment.
    username: session?.username ?? subject,
    auth_time: session?.auth_time ?? Math.floor(now / 1000),
    ...(session && { sid: session.sid, amr: session.amr, acr: session.acr }),
    ...(claims === undefined ? {} : { claims }),
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(nonce === undefined ? {} : { nonce }),
  }
}
