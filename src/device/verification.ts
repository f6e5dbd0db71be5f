import type { Parameters } from '../core/parameters.ts'
import { pickParameters } from '../core/parameters.ts'
import type { OnRefusal } from '../core/refusal.ts'
import type { Interaction, InteractionReply } from '../interaction/interaction.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import { type DeviceProblem, deviceCodePage } from '../pages/device-code.ts'
import type { Browser } from '../sessions/browser.ts'
import { readUserCode } from './user-code.ts'

const MAX_ECHOED = 32

/**
 * Answers a user who opens the verification URI (RFC 8628 §3.3), with a user code or without one. The code is looked up
 * after the sign-in, so nothing is stored and nobody who is not signed in can guess.
 * @throws StorageUnavailable, as startPending
 */
export function openVerification(
  context: PendingContext & CodePageContext,
  parameters: Parameters,
  browser: Browser,
): InteractionReply {
  const { user_code: typed, ui_locales } = parameters
  if (typed === undefined) return codePage(context, ui_locales)
  const user_code = readUserCode(typed)
  if (user_code === undefined) {
    context.refused({ reason: 'user_code_wrong', received: { fault: 'not the form of a code' } })
    return codePage(context, ui_locales, 'wrong', typed.slice(0, MAX_ECHOED))
  }
  const kept = { ...pickParameters(parameters, ['ui_locales']), user_code }
  return { to: 'next', ...startPending(context, { kind: 'device', parameters: kept }, browser) }
}

/** What it takes to show that page. */
export interface CodePageContext {
  /** The id of the request. */
  readonly request_id: string
  readonly refused: OnRefusal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The page that asks for a user code. Its problem was told. */
export function codePage(
  { request_id, now }: Omit<CodePageContext, 'refused'>,
  ui_locales: string | undefined,
  problem?: DeviceProblem,
  user_code?: string,
): InteractionReply {
  const props = {
    ...(problem && { problem, refused: { request_id, at: now() } }),
    ...(user_code && { user_code }),
    ...(ui_locales && { ui_locales }),
  }
  return { to: 'page', render: (view) => deviceCodePage(props, view), needs: {}, ui_locales }
}

/** The same for somebody who came too late: the device was answered, or its code has expired. */
export function deviceOverPage(
  context: CodePageContext,
  { parameters, session }: Pick<Interaction, 'parameters' | 'session'>,
): InteractionReply {
  const fault = 'the device was answered, or its code has expired'
  context.refused({ reason: 'user_code_wrong', received: { ...(session && { sub: session.sub }), fault } })
  return codePage(context, parameters.ui_locales, 'over')
}
