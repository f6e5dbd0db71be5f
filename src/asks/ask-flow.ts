import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import { type Parameters, pickParameters } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { noteAllowed, noteDenied, type OpenQuestion, type WaitingKind } from '../device/answer-waiting.ts'
import { dueFor, type WaitingDueContext } from '../device/waiting-due.ts'
import type { Flow } from '../interaction/flow.ts'
import { type Interaction, type InteractionReply, toNextStep } from '../interaction/interaction.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import { replyTo } from '../interaction/step-result.ts'
import { type BarContext, withBar } from '../interaction/waiting-bar.ts'
import { type AskOutcome, askDonePage } from '../pages/ask-done.ts'
import { hostOf } from '../pages/destination.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { recordOf } from '../storage/records.ts'
import { ASKED, type AskedRecord } from '../tokens/asked-record.ts'
import { MAX_ASK_TTL } from './ask-parameters.ts'
import { dropAsk, findAsk, type InboxContext } from './inbox.ts'
import { type MuteContext, muteClient } from './mute.ts'
import { type PingQueueContext, queuePing } from './ping-queue.ts'

/** What clients ask people, and what it means that one answered. */
export const ASKS: WaitingKind<AskedRecord> = { kind: ASKED, allowed: 'ask_allowed', denied: 'ask_denied' }

/** What it takes to let a person answer. */
export type AskFlowContext = WaitingDueContext &
  InboxContext &
  PingQueueContext &
  MuteContext &
  BarContext &
  PendingContext & {
    readonly clients: Pick<ClientRegistry, 'find'>
  }

/**
 * The flow of people who answer what a client asks them: the parameter `ask` is its name in their inbox. Whoever signs in
 * finds what waits for them alone. A link never answers: the answer is a form of a page in this browser.
 */
export function askFlow(context: AskFlowContext): Flow<never> {
  return async (interaction) => {
    const { session, pending } = interaction
    const wants_other = pending.other_account === 'true' && pending.signed_in !== session?.sid
    // Which client asks is known only to the person.
    if (session === undefined || wants_other)
      return { due: 'user', step: { step: 'login' }, destination: undefined }
    const { code_id: id } = pending
    if (id === undefined) return { due: 'answer', answer: () => find(context, interaction, session) }
    const code = recordOf(await context.storage.records.read(ASKED, id))
    const client = code?.asked === session.sub ? await context.clients.find(code.client_id) : undefined
    if (code === undefined || client === undefined)
      return { due: 'answer', answer: () => outcome(context, interaction, 'over') }
    if (code.status !== 'pending')
      return {
        due: 'answer',
        answer: () => outcome(context, interaction, outcomeOf(code, interaction), client.client_name),
      }
    const waiting = { of: ASKS, session, id, code, client, lifetime: MAX_ASK_TTL }
    const { address, asked_at, binding_message: message } = code
    const ask = { address, asked_at: Date.parse(asked_at), ...(message && { message }) }
    return dueFor(context, interaction, waiting, {
      host: hostOfAsker(client),
      acr_values: code.acr_values === undefined ? undefined : scopeNames(code.acr_values),
      // What asks may hold the session itself.
      signsInAnew: (demands) => code.acr_values !== undefined || demands.some((one) => one !== undefined),
      shown: () => ({ ask }),
      async allow(agreed) {
        await queuePing(context, id, code)
        const noted = await noteAllowed(context, waiting, agreed, pending.id)
        return noted === 'session_ended'
          ? toNextStep(interaction)
          : close(context, interaction, waiting, noted)
      },
      async deny() {
        if (pending.never_again === 'true') await muteClient(context, session, client)
        await queuePing(context, id, code)
        return close(context, interaction, waiting, await noteDenied(context, waiting, pending.id))
      },
    })
  }
}

/** Finds what waits, and goes on with it, also once it is no more in the inbox. @throws StorageUnavailable */
async function find(
  context: AskFlowContext,
  interaction: Interaction,
  { sub }: Session,
): Promise<InteractionReply> {
  const found = await findAsk(context, sub, interaction.parameters.ask ?? '')
  if (found === undefined) return outcome(context, interaction, 'over')
  return replyTo(context, interaction, { noted: { code_id: found.id } })
}

/** Where a client is at home: it comes back to no address. */
function hostOfAsker({ client_uri, redirect_uris: [first] }: Client): string | undefined {
  const home = client_uri ?? first
  return home === undefined ? undefined : hostOf(home)
}

/** Takes an answered request out of the inbox, and shows what became of it. @throws StorageUnavailable */
async function close(
  context: AskFlowContext,
  interaction: Interaction,
  { session, client }: OpenQuestion<AskedRecord>,
  noted: AskedRecord | undefined,
): Promise<InteractionReply> {
  await dropAsk(context, session.sub, interaction.parameters.ask ?? '')
  return outcome(context, interaction, outcomeOf(noted, interaction), client.client_name)
}

function outcomeOf(asked: AskedRecord | undefined, { pending }: Interaction): AskOutcome {
  if (asked?.answered_by !== pending.id) return asked?.answered_by === undefined ? 'over' : 'answered'
  if (asked.status !== 'denied') return 'allowed'
  return pending.never_again === 'true' ? 'muted' : 'denied'
}

async function outcome(
  context: BarContext,
  { parameters, session }: Interaction,
  became: AskOutcome,
  client_name = '',
): Promise<InteractionReply> {
  const { ui_locales } = parameters
  const props = { outcome: became, client_name }
  const render = await withBar(context, session, (view) => askDonePage(props, view))
  return { to: 'page', render, needs: {}, ui_locales }
}

/** Answers a person who opens what a client asks: it is looked up after the sign-in. @throws as startPending */
export function openAsk(
  context: PendingContext,
  parameters: Parameters,
  browser: Browser,
): Extract<InteractionReply, { to: 'next' }> {
  const kept = pickParameters(parameters, ['ui_locales', 'ask'])
  return { to: 'next', ...startPending(context, { kind: 'ask', parameters: kept }, browser) }
}
