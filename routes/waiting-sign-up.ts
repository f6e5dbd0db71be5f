import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { contextOf } from '../plugins/request-context.ts'
import { readEmail } from '../src/core/email-address.ts'
import type { Transaction } from '../src/core/ids.ts'
import type { Parameters } from '../src/core/parameters.ts'
import type { InteractionReply } from '../src/interaction/interaction.ts'
import {
  findWaitingSignUp,
  openSignUp,
  signInAddress,
  signInAfter,
  type WaitingSignUp,
} from '../src/interaction/waiting-sign-up.ts'
import type { SignUpFor } from '../src/pages/sign-up.ts'
import { flowsOf, senderOf } from './interaction-parts.ts'

/** A request that waits for a page on which somebody asks for an account. */
interface WaitingFor extends SignUpFor {
  readonly to: 'sign_up'
  /** The request as it goes on after the account was made, sealed. */
  readonly after: Transaction
  readonly ui_locales: string | undefined
}

/**
 * Opens the request that the parameters of a page name; undefined: they name none.
 * @throws OAuthError to be shown to the user, as openSignUp; StorageUnavailable
 */
export async function findWaiting(
  request: FastifyRequest,
  reply: FastifyReply,
  { transaction }: Parameters,
): Promise<WaitingFor | Extract<InteractionReply, { to: 'next' }> | undefined> {
  if (transaction === undefined) return undefined
  const context = contextOf(request)
  const flows = flowsOf(context, callerOf(request, reply))
  const found = await openSignUp(context, flows, transaction, browserOf(request))
  if (found.to === 'next') return found
  const { interaction, destination } = found
  const { login_hint = '', ui_locales } = interaction.parameters
  return {
    to: 'sign_up',
    transaction: interaction.transaction,
    after: found.transaction,
    destination,
    sign_in: signInAddress(context, found),
    email: readEmail(login_hint) === undefined ? '' : login_hint,
    ui_locales,
  }
}

/** Finds the request from which somebody asked for an account by a link, if it waits in this browser. @throws StorageUnavailable */
export async function waitingHere(
  request: FastifyRequest,
  reply: FastifyReply,
  transaction: Transaction | undefined,
): Promise<WaitingSignUp | undefined> {
  if (transaction === undefined) return undefined
  const context = contextOf(request)
  return findWaitingSignUp(
    context,
    flowsOf(context, callerOf(request, reply)),
    transaction,
    browserOf(request),
  )
}

/** Goes on with it after the account was made. @throws StorageUnavailable, as Sealer.seal */
export function goOn(
  request: FastifyRequest,
  reply: FastifyReply,
  waiting: WaitingSignUp,
  made: { readonly username: string; readonly password: string },
): Promise<InteractionReply> {
  const context = contextOf(request)
  const caller = callerOf(request, reply)
  return signInAfter(context, flowsOf(context, caller), waiting, made, senderOf(request, caller))
}
