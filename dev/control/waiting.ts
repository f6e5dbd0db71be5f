import { subjectFor } from '../../src/clients/subject.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { newId } from '../../src/core/token-string.ts'
import { noteAllowed, noteDenied, type OpenQuestion } from '../../src/device/answer-waiting.ts'
import { findSession } from '../../src/sessions/session.ts'
import type { WaitingCode } from '../../src/tokens/waiting-code.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'
import { clientNamed, userNamed } from './named.ts'
import { type SignInWay, startSessionOf } from './sign-in.ts'

/** What somebody answers who is asked. */
export const ANSWERS = ['allow', 'deny'] as const
export type WaitingAnswer = (typeof ANSWERS)[number]

/** A client, and what it was allowed. */
export interface Answered {
  readonly client: string
  readonly scope: string
}

/** Who answers, what, and how they sign in for that. */
interface Answering {
  readonly user: string
  readonly answer: WaitingAnswer
  readonly way?: SignInWay
}

/**
 * Answers a code that waits, as its person does on the page.
 * @param what the code, as sentences name it
 * @throws ControlError if it is answered already, or nobody can answer it; StorageUnavailable
 */
export async function answerWaiting<Code extends WaitingCode>(
  parts: DevParts,
  what: string,
  waiting: Pick<OpenQuestion<Code>, 'of' | 'id' | 'code' | 'lifetime'>,
  { user: username, answer, way }: Answering,
): Promise<Answered> {
  const context = parts.fastify.redmint
  const { code } = waiting
  if (code.status !== 'pending') throw new ControlError(`${what} has its answer already.`, 409)
  const [client, user] = await Promise.all([clientNamed(parts, code.client_id), userNamed(parts, username)])
  const cookie = await startSessionOf(parts, user, way)
  const session = await findSession(context, { session: cookie }, client.client_id)
  if (session === undefined) throw new ControlError(`The session of ${username} ended at once.`, 409)
  const asked = { ...waiting, session, client }
  const by = newId()
  const subject = subjectFor(client, user.sub, context.settings)
  const names = scopeNames(code.scope).filter((name) => client.allowed_scopes.includes(name))
  const stored =
    answer === 'deny'
      ? await noteDenied(context, asked, by)
      : await noteAllowed(context, asked, { subject, names, agreed_at: undefined }, by)
  if (typeof stored !== 'object' || stored.answered_by !== by)
    throw new ControlError(`${what} was answered by somebody else just now.`, 409)
  return { client: client.client_id, scope: answer === 'allow' ? names.join(' ') : '' }
}
