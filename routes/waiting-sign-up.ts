import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
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
import { visitOf } from './visit.ts'

/** A request that waits for a page on which somebody asks for an account. */
export interface WaitingFor extends SignUpFor {
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
  const { flows } = visitOf(request, reply, context, {})
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

/** A request that goes on once the account of a link is there. */
interface WaitingHere extends Pick<WaitingSignUp, 'destination'> {
  /** Goes on. @throws StorageUnavailable, as Sealer.seal */
  goOn(made: { readonly username: string; readonly password: string }): Promise<InteractionReply>
}

/** Finds the request from which somebody asked for the account of a link, if it waits in this browser. @throws StorageUnavailable */
export async function waitingHere(
  request: FastifyRequest,
  reply: FastifyReply,
  transaction: Transaction,
): Promise<WaitingHere | undefined> {
  const context = contextOf(request)
  const visit = visitOf(request, reply, context, {})
  const { flows } = visit
  const found = await findWaitingSignUp(context, flows, transaction, browserOf(request))
  if (found === undefined) return undefined
  const { destination } = found
  return { destination, goOn: (made) => signInAfter(context, flows, found, made, visit) }
}
