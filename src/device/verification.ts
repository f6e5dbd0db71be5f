import type { Parameters } from '../core/parameters.ts'
import { pickParameters } from '../core/parameters.ts'
import type { OnRefusal } from '../core/refusal.ts'
import type { Interaction, InteractionReply } from '../interaction/interaction.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import { type BarContext, withBar } from '../interaction/waiting-bar.ts'
import { type DeviceProblem, deviceCodePage } from '../pages/device-code.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession, type Session, type SessionContext } from '../sessions/session.ts'
import { readUserCode } from './user-code.ts'

const MAX_ECHOED = 32

/**
 * Answers a user who opens the verification URI (RFC 8628 §3.3), with a user code or without one. The code is looked up
 * after the sign-in, so nothing is stored and nobody who is not signed in can guess.
 * @throws StorageUnavailable, as startPending
 */
export async function openVerification(
  context: PendingContext & CodePageContext & SessionContext,
  parameters: Parameters,
  browser: Browser,
): Promise<InteractionReply> {
  const { user_code: typed, ui_locales } = parameters
  const user_code = typed === undefined ? undefined : readUserCode(typed)
  if (user_code !== undefined) {
    const kept = { ...pickParameters(parameters, ['ui_locales']), user_code }
    return { to: 'next', ...startPending(context, { kind: 'device', parameters: kept }, browser) }
  }
  // The page needs nobody who is signed in.
  const person = context.waitsFor && (await findSession(context, browser, undefined))
  if (typed === undefined) return codePage(context, person, ui_locales)
  context.refused({ reason: 'user_code_wrong', received: { fault: 'not the form of a code' } })
  return codePage(context, person, ui_locales, 'wrong', typed.slice(0, MAX_ECHOED))
}

/** What it takes to show that page. */
export interface CodePageContext extends BarContext {
  /** The id of the request. */
  readonly request_id: string
  readonly refused: OnRefusal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The page that asks for a user code. Its problem was told. @param person who is signed in */
export async function codePage(
  { request_id, now, waitsFor }: Omit<CodePageContext, 'refused'>,
  person: Pick<Session, 'sub'> | undefined,
  ui_locales: string | undefined,
  problem?: DeviceProblem,
  user_code?: string,
): Promise<InteractionReply> {
  const props = {
    ...(problem && { problem, refused: { request_id, at: now() } }),
    ...(user_code && { user_code }),
    ...(ui_locales && { ui_locales }),
  }
  const render = await withBar({ waitsFor }, person, (view) => deviceCodePage(props, view))
  return { to: 'page', render, needs: {}, ui_locales }
}

/** The same for somebody who came too late: the device was answered, or its code has expired. */
export function deviceOverPage(
  context: CodePageContext,
  { parameters, session }: Pick<Interaction, 'parameters' | 'session'>,
): Promise<InteractionReply> {
  const fault = 'the device was answered, or its code has expired'
  context.refused({ reason: 'user_code_wrong', received: { ...(session && { sub: session.sub }), fault } })
  return codePage(context, session, parameters.ui_locales, 'over')
}
