import type { Hash } from '../core/record-hash.ts'
import {
  addFirstPasskey,
  type FirstPasskeyContext,
  takeFirstPasskey,
} from '../factors/passkeys/first-passkey.ts'
import { claimPasskey, releasePasskeys } from '../factors/passkeys/passkey-owner.ts'
import { proofBy } from '../factors/passkeys/proof.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import type { Storage } from '../storage/storage.ts'
import { insertUser } from '../users/new-user.ts'
import type { LinkBrowser } from './link-passkey.ts'
import type { Ticket } from './ticket.ts'

/** What it takes to make an account with a passkey. */
export type PasskeyJoinContext = FirstPasskeyContext & { readonly storage: Storage }

/** What came of making an account: how its person is known; `over`: what let somebody make it is used up. */
export type JoinOutcome = Pick<LinkSignIn, 'method' | 'password' | 'proven'> | 'over' | 'taken' | 'passkey'

/** An account that somebody makes with a passkey in place of a password. */
export interface PasskeyJoin {
  readonly ticket: Omit<Ticket, 'groups' | 'email' | 'client'>
  readonly username: string
  readonly sub: string
  readonly claims: Hash
  /** What its challenge was bound to. */
  readonly bound_to: string
  /** What the page posted. */
  readonly credential: string
  readonly browser: LinkBrowser
}

/**
 * Makes the account. The user is disabled until the passkey is there, and enabled in one atomic step: with it both count. An
 * end in between leaves a user who cannot sign in, and whom an operator sees.
 * @throws StorageUnavailable
 */
export async function joinByPasskey(context: PasskeyJoinContext, join: PasskeyJoin): Promise<JoinOutcome> {
  const { ticket, username, sub, claims, bound_to, credential, browser } = join
  const passkey = await takeFirstPasskey(context, bound_to, credential)
  if (passkey === undefined) return 'passkey'
  // WebAuthn Level 3 §7.1 step 26: no other account may have it.
  if (!(await claimPasskey(context, { username, sub }, passkey.id, context.now()))) return 'passkey'
  const release = () => releasePasskeys(context, username, [passkey.id])
  if (!(await ticket.take())) {
    await release()
    return 'over'
  }
  const hash = { sub, ...claims, disabled: 'true' }
  if ((await insertUser(context, username, hash, { is_address_own: true })) === 'exists') {
    await Promise.all([ticket.giveBack(), release()])
    return 'taken'
  }
  const event = ticket.used(username)
  if (await addFirstPasskey(context, { username, hash }, passkey, browser.name, event))
    return { method: 'passkey', proven: proofBy(passkey.proven) }
  // Somebody removed the user meanwhile, or changed it.
  await release()
  return 'over'
}
