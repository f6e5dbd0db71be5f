import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { findAccount, type TokenAccountContext } from '../tokens/token-account.ts'
import type { User } from '../users/user-record.ts'

/** What is needed to find the claims of a token. */
export interface CurrentAccountContext extends TokenAccountContext {
  readonly settings: TokenAccountContext['settings'] & Pick<Settings, 'scope_claims'>
  readonly log: Log
}

/**
 * Returns the account for the claims of a token that is being issued; undefined in the same cases as findAccount, and
 * if storage is unavailable: the code or refresh token is already spent, and a missing claim is no error (OpenID
 * Connect Core §5.5.1).
 * @param token names the token in the log
 */
export async function currentAccount(
  context: CurrentAccountContext,
  client: Client,
  sign_in: GrantFacts,
  token: 'An access token' | 'An id_token',
): Promise<User | undefined> {
  try {
    return await findAccount(context, client, sign_in)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    context.log.warn(
      { err: error },
      `${token} is issued without the claims about its user: storage is unavailable.`,
    )
    return undefined
  }
}
