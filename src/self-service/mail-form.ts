import { readEmail } from '../core/email-address.ts'
import type { Transaction } from '../core/ids.ts'
import { pathAt } from '../core/paths.ts'
import type { InteractionContext, InteractionReply } from '../interaction/interaction.ts'
import type { MailAsk } from '../mail/mail-requests.ts'
import type { View } from '../pages/layout.ts'
import { SEND_ONCE_SOURCE } from '../pages/send-once.ts'
import type { AwaitedByForm } from '../pages/sign-up.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Visit } from './visit.ts'

/**
 * A form by which anybody asks for a mail. It needs no proof of its browser: anybody may ask for anybody, which is
 * limited.
 */
export interface MailForm<Context> {
  readonly path: string
  /** What the form sends. */
  readonly field: 'username' | 'email'
  /** Whether a request that its address names must be open; else one that is over is left out. */
  readonly needs_request: boolean
  page(action: string, view: View, waiting?: AwaitedByForm): string
  /** What is answered, whatever was typed. */
  done(view: View, waiting?: AwaitedByForm): string
  /** Keeps what was asked for. @throws StorageUnavailable */
  ask(
    context: Context,
    asked: Pick<MailAsk, 'typed' | 'language' | 'network' | 'request'> & Pick<Browser, 'identity'>,
  ): Promise<void>
}

/** A request that waits while somebody asks for a mail. */
interface WaitingFor extends AwaitedByForm {
  readonly to: 'awaited'
  /** The request as it goes on after the link was used, sealed. */
  readonly after: Transaction
  readonly ui_locales: string | undefined
}

/**
 * Shows a form, unless something else is due for the request that waits.
 * @throws OAuthError to be shown to the user, as openAwaited; StorageUnavailable
 */
export async function showMailForm<Context extends InteractionContext>(
  context: Context,
  form: MailForm<Context>,
  visit: Visit,
): Promise<InteractionReply> {
  const waiting = await findWaiting(context, form, visit)
  if (waiting?.to === 'next') return waiting
  const action = pathAt(context.settings, form.path)
  return {
    to: 'page',
    render: (view) => form.page(action, waiting === undefined ? { ...view, query: '' } : view, waiting),
    needs: { script_source: SEND_ONCE_SOURCE },
    ui_locales: waiting?.ui_locales,
  }
}

/**
 * Answers a form: the same for everything, after the same commands to storage, when what was asked for is kept for any
 * server to do.
 * @throws as showMailForm
 */
export async function takeMailForm<Context extends InteractionContext>(
  context: Context,
  form: MailForm<Context>,
  visit: Visit,
): Promise<InteractionReply> {
  const waiting = await findWaiting(context, form, visit)
  if (waiting?.to === 'next') return waiting
  const { given, address, browser, languageFor } = visit
  const ui_locales = waiting?.ui_locales
  await form.ask(context, {
    typed: given[form.field] ?? '',
    language: languageFor(ui_locales),
    network: address,
    identity: browser.identity,
    request: waiting?.after,
  })
  return { to: 'page', render: (view) => form.done(view, waiting), needs: {}, ui_locales }
}

/** Opens the request that the parameters name; undefined: they name none, or none can wait. */
async function findWaiting<Context extends InteractionContext>(
  context: Context,
  form: MailForm<Context>,
  { given: { transaction }, flows, browser }: Visit,
): Promise<WaitingFor | Extract<InteractionReply, { to: 'next' }> | undefined> {
  if (transaction === undefined) return undefined
  const { findAwaited, openAwaited, signInAddress } = await import('../interaction/awaited-request.ts')
  const find = form.needs_request ? openAwaited : findAwaited
  const found = await find(context, flows, transaction, browser)
  if (found === undefined || found.to === 'next') return found
  const { interaction, destination } = found
  const { login_hint = '', ui_locales } = interaction.parameters
  return {
    to: 'awaited',
    transaction: interaction.transaction,
    after: found.transaction,
    destination,
    sign_in: signInAddress(context, found),
    name: form.field === 'email' && readEmail(login_hint) === undefined ? '' : login_hint,
    ui_locales,
  }
}
