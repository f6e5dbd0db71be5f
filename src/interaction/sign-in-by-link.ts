import { OAuthError } from '../core/errors.ts'
import { parametersFrom } from '../core/parameters.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { csrfOf } from './answer-token.ts'
import { continueInteraction, type Flows } from './flow.ts'
import type { Interaction, InteractionContext, InteractionReply } from './interaction.ts'
import type { PendingRecord } from './pending-record.ts'
import { readPending, sealPending } from './pending-request.ts'
import type {
  MethodContext,
  RoundResult,
  SignInMethod,
  SignInMethods,
  SignInRound,
  Success,
} from './sign-in-method.ts'
import type { Sender } from './submission.ts'

/** Somebody who came by a link, and proved there who it is. */
export interface LinkSignIn {
  readonly username: string
  /** The sign-in method that could ask for the same. Where it is not offered, nobody is signed in. */
  readonly method: 'pwd' | 'passkey'
  /** The password that was chosen just now, which the method judges; absent: a factor was proven, and suffices. */
  readonly password?: string
  /** What was proven besides: a code, or a passkey. Absent: what the method asks for besides is due as ever. */
  readonly proven?: Pick<Success, 'amr' | 'acr'>
  /** Whether the sign-in confirms who it is. A mail alone confirms nothing of an account that there was. */
  readonly confirms: boolean
}

/** A request that is to go on with somebody who arrived. */
interface Onward {
  readonly interaction: Interaction
  /** The request as it goes on, before the sign-in. */
  readonly after: PendingRecord
}

/**
 * Signs in who came by a link, as the sign-in page would: by its limits, for accounts that may sign in, with new cookies, in
 * place of whoever was signed in. A step that is still due, such as an app to be set up, is asked for.
 * @returns undefined: the way is not offered here, or did not suffice, so that nobody is signed in
 */
export async function signInByLink<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  { interaction, after }: Onward,
  arrival: LinkSignIn,
  sender: Sender,
): Promise<InteractionReply | undefined> {
  const method = methodFor(context.methods, arrival)
  if (method === undefined) return undefined
  const { username, password = '' } = arrival
  const transaction = sealPending(context, { ...after, username })
  const parameters = parametersFrom({ username, password })
  const submission = { from: 'page', transaction, token: csrfOf(interaction), parameters, ...sender } as const
  const [, ...others] = context.methods
  // What ended with the link began before the sign-in.
  const arrived = { ...context, methods: [method, ...others] as const, began: context.now }
  try {
    const reply = await continueInteraction(arrived, flows, submission, interaction.browser)
    return reply.to === 'next' && isTaken(context, reply) ? reply : undefined
  } catch (error) {
    // What the link was for is done: its person can still sign in by hand.
    if (error instanceof OAuthError || error instanceof StorageUnavailable) return undefined
    throw error
  }
}

/** The method as it judges who arrived; undefined: it is not offered. */
function methodFor(methods: SignInMethods, arrival: LinkSignIn): SignInMethod | undefined {
  const { method: name, confirms } = arrival
  const found = methods.find((method) => method.name === name)
  if (found === undefined) return undefined
  return {
    ...found,
    username: ({ answer }) => answer.username ?? '',
    async authenticate(context, round) {
      const result = await judge(found, arrival, context, round)
      if (result.outcome !== 'ok' || confirms) return result
      const { account_state: _, ...unconfirmed } = result
      return unconfirmed
    },
  }
}

async function judge(
  method: SignInMethod,
  { username, password, proven }: LinkSignIn,
  context: MethodContext,
  round: SignInRound,
): Promise<RoundResult> {
  if (proven === undefined) return method.authenticate(context, round)
  if (password !== undefined) {
    const result = await context.checkPassword(round)
    return result.outcome === 'ok' ? { ...result, ...proven } : result
  }
  const user = await context.findUser(username)
  return user === undefined
    ? { outcome: 'failed', reason: 'unknown_user' }
    : { outcome: 'ok', user, ...proven }
}

/** Whether a sign-in was taken: somebody is signed in, or the next step is asked for. */
const isTaken = (
  context: InteractionContext,
  { cookies, transaction }: Extract<InteractionReply, { to: 'next' }>,
): boolean => cookies !== undefined || readPending(context, transaction)?.round !== undefined
