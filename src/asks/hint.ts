import { verifyPresented } from '../clients/authentication/client-assertion.ts'
import type { Client } from '../clients/record/client-record.ts'
import { expiredHintToken, oneHint, unusableHint } from '../core/ask-errors.ts'
import type { Parameters as RequestParameters } from '../core/parameters.ts'
import { verifyIdToken } from '../tokens/id-token.ts'
import type { VerifyingKeys } from '../tokens/jws.ts'
import { findAccountByEmail, findLinkedAccount, type LinkedAccountContext } from '../users/linked-account.ts'
import type { Hint } from './asked-person.ts'

/** What it takes to read whom a request asks. */
export type HintContext = Parameters<typeof verifyPresented>[0] &
  LinkedAccountContext & { readonly keys: VerifyingKeys }

/** The parameters that name the person (CIBA §7.1): a request has one of them. */
export const HINTS = ['login_hint', 'id_token_hint', 'login_hint_token'] as const

const MAX_HINT = 255

/**
 * Returns whom a request asks.
 * @throws OAuthError `invalid_request` unless it has exactly one hint, and one that counts, or `expired_login_hint_token`;
 * `temporarily_unavailable` if the keys of an issuer cannot be fetched; StorageUnavailable
 */
export async function readHint(
  context: HintContext,
  client: Client,
  parameters: RequestParameters,
): Promise<Hint> {
  const given = HINTS.filter((name) => parameters[name] !== undefined)
  if (given.length !== 1) throw oneHint(given, HINTS)
  const { login_hint, id_token_hint, login_hint_token = '' } = parameters
  if (login_hint !== undefined) return { name: login_hint.slice(0, MAX_HINT) }
  if (id_token_hint === undefined) return hintOfIssuer(context, login_hint_token)
  const hint = verifyIdToken(context, id_token_hint)
  if (hint === undefined || hint.client_id !== client.client_id)
    throw unusableHint('id_token_hint is not an id_token that this server issued to this client.')
  if (client.subject_type === 'pairwise')
    throw unusableHint('A client with pairwise subjects names a person by login_hint: a name.')
  return { name: hint.sub, is_subject: true }
}

/** The person whom a trusted issuer names, found as by its other assertions. Nobody learns whether there is one. */
async function hintOfIssuer(context: HintContext, token: string): Promise<Hint> {
  const verified = await verifyPresented(context, token, 'login_hint')
  if (!verified.ok && verified.fault === 'clock') throw expiredHintToken()
  if (!verified.ok) throw unusableHint(`The login_hint_token is refused: ${verified.text}.`)
  const { issuer, claims } = verified
  const user =
    issuer.account_by === 'subject'
      ? await findLinkedAccount(context, issuer.issuer, claims)
      : await findAccountByEmail(context, claims)
  return { name: JSON.stringify([issuer.issuer, claims.sub]).slice(0, MAX_HINT), found: user?.username ?? '' }
}
