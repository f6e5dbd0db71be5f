import { readUser } from '../../src/admin/users/noun.ts'
import { CONSENT, consentId } from '../../src/interaction/consent.ts'
import { Refusal } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'

/**
 * The command `user withdraw-consent`: the user is asked again. Tokens that were issued stay valid. The client may have
 * been removed already.
 * @throws Refusal if the user does not exist or has agreed to nothing that is remembered
 */
export async function withdrawConsent(
  { storage, report }: Pick<CommandContext, 'storage' | 'report'>,
  username: string,
  client_id: string,
): Promise<Report> {
  const { sub = '' } = await readUser(storage, username)
  if ((await storage.records.take(CONSENT, consentId(sub, client_id))) === undefined) {
    throw new Refusal(
      `No consent of the user "${username}" for the client "${client_id}" is remembered: check both names.`,
    )
  }
  report({ event: 'consent_withdrawn', username, sub, client_id })
  return {
    text: `The consent is withdrawn: within a second the user is asked again. Tokens that the client has stay valid; redmint token revoke --family ends those of a sign-in.`,
    json: { username, client_id, consent: 'withdrawn' },
  }
}
