import type { Calls } from '../calls.ts'
import type { Report } from '../output.ts'

/**
 * The command `user withdraw-consent`: the user is asked again. Tokens that were issued stay valid. The client may have
 * been removed already.
 * @throws AdminError `not_found` if the user does not exist or has agreed to nothing that is remembered
 */
export async function withdrawConsent({ call }: Calls, username: string, client_id: string): Promise<Report> {
  await call('withdraw_consent', { params: { username, client_id } })
  return {
    text: `The consent is withdrawn: within a second the user is asked again. Tokens that the client has stay valid; redmint token revoke --family ends those of a sign-in.`,
    json: { username, client_id, consent: 'withdrawn' },
  }
}
