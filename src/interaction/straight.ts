import { PATHS } from '../core/paths.ts'
import type { Interaction, InteractionContext, LoginStep } from './interaction.ts'
import { failedBecause, openRound, requestName } from './pending-record.ts'
import { methodContext } from './sign-in.ts'
import { findMethod, methodOfProvider, type WantedWay } from './sign-in-method.ts'
import type { StepResult } from './step-result.ts'

/**
 * Sends the browser to the site of a sign-in method at once, where the request, its client or the settings want it. After
 * an attempt that failed, or did not suffice, the page is shown, so that nobody goes round in a circle.
 * @throws StorageUnavailable
 */
export async function goStraight(
  context: InteractionContext,
  interaction: Interaction,
  { acr_values = [], max_age, provider }: LoginStep,
): Promise<StepResult | undefined> {
  const { pending, session, parameters } = interaction
  const { login_hint } = parameters
  if (provider === undefined && session !== undefined && pending.signed_in === session.sid) return undefined
  if (pending.problem !== undefined || pending.round?.from === 'page') return undefined
  const name = provider === undefined ? await nameOf(context, interaction) : methodOfProvider(provider)
  return depart(context, interaction, name, { login_hint, acr_values, max_age })
}

/**
 * Takes the username that the first of two pages asked for: where its domain belongs to a site, the browser goes there.
 * Nothing else is looked up, so that the next page is the same whether there is such an account or not.
 * @throws StorageUnavailable
 */
export async function takeName(
  context: InteractionContext,
  interaction: Interaction,
  { acr_values = [], max_age }: LoginStep,
  { username, stay }: NamedUser,
): Promise<StepResult> {
  const name = await firstWanted(context, { provider: undefined, idp_hint: undefined, login_hint: username })
  const named = { username, stay }
  const gone = await depart(context, interaction, name, { login_hint: username, acr_values, max_age }, named)
  return gone ?? { noted: { ...named, problem: undefined, round: undefined } }
}

/** What the first of two pages asked for. */
interface NamedUser {
  readonly username: string
  readonly stay: string | undefined
}

/** What a site is told of the sign-in. */
interface Wish {
  readonly login_hint: string | undefined
  readonly acr_values: readonly string[]
  readonly max_age: number | undefined
}

/**
 * What a method is told of how fresh the sign-in has to be: what the request wants does not depend on who is signed in
 * here.
 */
export function againOf(
  session: Interaction['session'],
  { max_age }: Pick<LoginStep, 'max_age'>,
): { readonly is_again?: true; readonly max_age?: number } {
  if (max_age !== undefined) return { is_again: true, max_age }
  return session === undefined ? {} : { is_again: true }
}

/** Sends the browser to the site of a method; undefined: there is none of this name. @throws StorageUnavailable */
async function depart(
  context: InteractionContext,
  interaction: Interaction,
  name: string | undefined,
  { login_hint, acr_values, max_age }: Wish,
  named: Partial<NamedUser> = {},
): Promise<StepResult | undefined> {
  const { pending, session } = interaction
  const method = findMethod(context.methods, name)
  if (method === undefined) return undefined
  const result = await method.authenticate(methodContext(context, method), {
    answer: {},
    user: undefined,
    acr_values,
    request: requestName(pending),
    return_to: context.settings.issuer + PATHS.interaction,
    ...againOf(session, max_age === undefined ? {} : { max_age }),
    ...(login_hint !== undefined && { login_hint }),
    // It hashes nothing.
    asker: { address: '', user: '' },
  })
  if (result.outcome === 'failed')
    return { noted: { ...named, problem: failedBecause(result.problem), round: undefined } }
  if (result.outcome !== 'site') return undefined
  const round = openRound(method, 'site', result.challenge)
  return { noted: { ...named, round, username: undefined }, location: (state) => result.location(state) }
}

async function nameOf(
  context: Pick<InteractionContext, 'methods' | 'clients'>,
  { parameters: { client_id, idp_hint, login_hint } }: Interaction,
): Promise<string | undefined> {
  const { methods, clients } = context
  if (methods.every(({ straightTo }) => straightTo === undefined)) return undefined
  const client = client_id === undefined ? undefined : await clients.find(client_id)
  return firstWanted(context, { provider: client?.provider, idp_hint, login_hint })
}

async function firstWanted(
  { methods }: Pick<InteractionContext, 'methods'>,
  wanted: WantedWay,
): Promise<string | undefined> {
  for (const method of methods) {
    const name = await method.straightTo?.(wanted)
    if (name !== undefined) return name
  }
  return undefined
}
