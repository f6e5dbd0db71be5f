import type { Client } from '../clients/record/client-record.ts'
import { type StepContext, tellStep } from '../core/connection-steps.ts'
import type { OAuthError } from '../core/errors.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Parameters } from '../core/parameters.ts'
import type { OnRefusal } from '../core/refusal.ts'
import { invalidRequestUri, signInExpired } from '../core/request-errors.ts'
import { newFamilyId, parseToken } from '../core/token-string.ts'
import { type Answerable, answerOf, answerOnce } from '../interaction/answered.ts'
import { findPushed } from '../interaction/pushed-request.ts'
import { joinFor, leaveToFirst, type SessionJoinContext } from '../sessions/join-session.ts'
import type { Session } from '../sessions/session.ts'
import type { SignedAnswerContext } from '../tokens/signed-answer.ts'
import { type AdminRightsContext, scopeOfUser } from '../users/admin-rights.ts'
import type { AnswerStep, IssueStep } from './decide.ts'
import { type NewCodeContext, newCode } from './new-code.ts'
import type { ClientReply } from './reply.ts'
import type { Target } from './request.ts'
import { findResponder } from './response.ts'

/** What it takes to answer the client. */
export type AnswerContext = SessionJoinContext &
  NewCodeContext &
  SignedAnswerContext &
  AdminRightsContext &
  StepContext & { readonly report: ReportEvent; readonly refused: OnRefusal }

/** A request that gets its answer. */
interface Asked {
  readonly request: Answerable
  readonly parameters: Parameters
  /** The session in which a pending request is answered. */
  readonly session?: Session | undefined
}

/**
 * Ends an authorization request of any kind: with a code (RFC 6749 §4.1.2) or an error (§4.1.2.1), and only once.
 * @returns the response; `undefined` if the session ended meanwhile, and nothing was issued
 * @throws OAuthError to be shown to the user: the request was answered before, or as findResponder; StorageUnavailable
 */
export async function answerClient(
  context: AnswerContext,
  target: Target,
  step: AnswerStep,
  { request, parameters: { ui_locales }, session }: Asked,
): Promise<ClientReply | undefined> {
  const responder = await findResponder(context, target)
  if (step.step === 'issue') {
    const code = await issue(context, step, request)
    return code === undefined ? undefined : { to: 'client', response: await responder.code(code), ui_locales }
  }
  // Without a session nobody has proven who they are, so nothing is stored. A pushed request is only removed.
  const is_marked = session !== undefined || request.pushed !== undefined
  if (is_marked && (await answerOnce(context, request)) === 'exists') throw answeredBefore(request, target)
  const { event, reason, received, expected } = step.error
  if (event !== undefined) context.report(event)
  context.refused({ reason, received, expected, client_id: target.client.client_id, says: SAYS })
  return { to: 'client', response: await responder.error(step.error), ui_locales }
}

// Its description may have what somebody typed.
const SAYS = 'The client gets an error.'

async function issue(
  context: AnswerContext,
  step: IssueStep,
  asked: Answerable,
): Promise<string | undefined> {
  const { session, request } = step
  const allowing = scopeOfUser(context, request.scope, session?.username)
  const scope = typeof allowing === 'string' ? allowing : await allowing
  // Before the session joins the family of the code, which belongs to the first answer of a pushed request.
  if (asked.id !== undefined && asked.pushed !== undefined) {
    if ((await findPushed(context, asked.pushed)) === undefined) throw answeredBefore(asked, request)
  }
  const family = parseToken(asked.pushed ?? asked.id ?? '')?.family ?? newFamilyId()
  // The session knows the client before there is a code, so that no logout overlooks it.
  const joined = session && (await joinFor(context, session, request.client, scope, family))
  if (joined === 'missing') return undefined
  const code = newCode(context, { ...step, request: { ...request, scope } }, family)
  if ((await answerOnce(context, asked, code)) === 'ok') {
    const { client_id, subject } = code.record
    tellStep(context, () => ({ step: 'authorized', client_id, grant: family, sub: subject }))
    return code.code
  }
  if (session !== undefined) {
    const { sid } = code.record
    await leaveToFirst(context, session, { family, sid }, await answerOf(context, asked))
  }
  throw answeredBefore(asked, request)
}

const USED = 'answered before'

function answeredBefore({ id }: Answerable, { client }: { readonly client: Client }): OAuthError {
  return id === undefined ? invalidRequestUri(client, USED) : signInExpired(client, USED)
}
