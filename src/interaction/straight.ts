import { PATHS } from '../core/paths.ts'
import { siteTokenOf } from './answer-token.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  type LoginStep,
  toStepAfter,
} from './interaction.ts'
import { failedBecause, openRound, requestName } from './pending-record.ts'
import { sealPending } from './pending-request.ts'
import { methodContext } from './sign-in.ts'
import { findMethod, type SignInMethods } from './sign-in-method.ts'

/**
 * Sends the browser to the site of a sign-in method at once, where the request, its client or the settings want it. After an attempt that
 * failed, or did not suffice, the page is shown, so that nobody goes round in a circle.
 * @throws StorageUnavailable
 */
export async function goStraight(
  context: InteractionContext,
  interaction: Interaction,
  { acr_values = [] }: LoginStep,
): Promise<InteractionReply | undefined> {
  const { pending, session, parameters } = interaction
  const { login_hint } = parameters
  if (session !== undefined && pending.signed_in === session.sid) return undefined
  if (pending.problem !== undefined || pending.round?.from === 'page') return undefined
  const method = findMethod(context.methods, await nameOf(context, interaction))
  if (method === undefined) return undefined
  const result = await method.authenticate(methodContext(context, method), {
    answer: {},
    user: undefined,
    acr_values,
    request: requestName(pending),
    return_to: context.settings.issuer + PATHS.interaction,
    ...(session && { is_again: true as const }),
    ...(login_hint !== undefined && { login_hint }),
    // It hashes nothing.
    asker: { address: '', user: '' },
  })
  if (result.outcome === 'failed')
    return toStepAfter(context, interaction, { problem: failedBecause(result.problem), round: undefined })
  if (result.outcome !== 'site') return undefined
  const round = openRound(method, 'site', result.challenge)
  const transaction = sealPending(context, { ...pending, round, username: undefined })
  return { to: 'site', location: result.location(`${transaction}.${siteTokenOf(interaction)}`) }
}

async function nameOf(
  { methods, clients }: { readonly methods: SignInMethods; readonly clients: InteractionContext['clients'] },
  { parameters: { client_id, idp_hint, login_hint } }: Interaction,
): Promise<string | undefined> {
  const asked = methods.filter(({ straightTo }) => straightTo !== undefined)
  if (asked.length === 0) return undefined
  const client = client_id === undefined ? undefined : await clients.find(client_id)
  for (const method of asked) {
    const name = await method.straightTo?.({ provider: client?.provider, idp_hint, login_hint })
    if (name !== undefined) return name
  }
  return undefined
}
