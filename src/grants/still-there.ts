import type { Client } from '../clients/record/client-record.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { findAccount } from '../tokens/token-account.ts'
import type { GrantContext } from './grant-handler.ts'

/**
 * Whether a way to sign in that knows the user from elsewhere says that the user may not sign in any more.
 * @throws StorageUnavailable
 */
export async function isGoneElsewhere(
  context: GrantContext,
  client: Client,
  sign_in: GrantFacts,
): Promise<boolean> {
  const asking = context.methods.filter(({ isStillThere }) => isStillThere !== undefined)
  const user = asking.length === 0 ? undefined : await findAccount(context, client, sign_in)
  if (user === undefined) return false
  const answers = await Promise.all(asking.map((method) => method.isStillThere?.(user)))
  return answers.includes(false)
}
