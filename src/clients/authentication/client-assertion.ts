import type { Settings } from '../../config/settings.ts'
import { issuerKeysUnavailable } from '../../core/grant-errors.ts'
import type { ClientId } from '../../core/ids.ts'
import { unmetCondition } from '../../issuers/conditions.ts'
import { matchesPattern, parsePattern } from '../../issuers/pattern.ts'
import {
  type Assertion,
  type AssertionContext,
  type AssertionRefusal,
  type AssertionUse,
  readAssertion,
  type VerifiedAssertion,
  verifyAssertion,
} from '../../issuers/verify-assertion.ts'
import { KeySetUnavailable } from '../../keys/published-keys.ts'
import type { ClientRegistry } from '../client-registry.ts'
import type { Client } from '../record/client-record.ts'

/** The dependencies of clientOfAssertion. */
export interface ClientAssertionContext extends AssertionContext {
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly settings: Pick<Settings, 'issuer' | 'trusted_issuers'>
}

/** A client and the assertion that proves it; or why there is none, and the client_id if it is that of a client. */
export type ProvenClient =
  | { readonly ok: true; readonly client: Client; readonly assertion: Assertion }
  | (AssertionRefusal & { readonly client_id?: ClientId })

/**
 * Returns the client that an assertion of a trusted issuer is about (RFC 7523 §3): that of `client_id`, or the one that
 * its `sub` names. Does not check whether the assertion was used before.
 * @throws OAuthError `temporarily_unavailable` if the keys of the issuer cannot be fetched; StorageUnavailable
 */
export async function clientOfAssertion(
  context: ClientAssertionContext,
  jwt: string,
  use: AssertionUse,
  client_id?: ClientId,
): Promise<ProvenClient> {
  const verified = await verifyPresented(context, jwt, use)
  if (!verified.ok) return verified
  const client = await context.clients.find(client_id ?? verified.claims.sub)
  const detail = client === undefined ? 'unknown client' : mismatch(client, verified)
  if (client !== undefined && detail === undefined) return { ok: true, client, assertion: verified }
  const known = client === undefined ? {} : { client_id: client.client_id }
  return { ok: false, fault: 'client', text: 'not about this client', detail: detail ?? '', ...known }
}

/**
 * Verifies an assertion, as verifyAssertion.
 * @throws OAuthError `temporarily_unavailable` if the keys of the issuer cannot be fetched; StorageUnavailable
 */
export async function verifyPresented(
  context: AssertionContext & { readonly settings: Pick<Settings, 'trusted_issuers'> },
  jwt: string,
  use: AssertionUse,
): Promise<VerifiedAssertion> {
  if (!context.settings.trusted_issuers) {
    return { ok: false, fault: 'issuer', text: 'this server accepts none' }
  }
  try {
    return await verifyAssertion(context, jwt, use)
  } catch (error) {
    if (!(error instanceof KeySetUnavailable)) throw error
    const read = readAssertion(jwt)
    // Keys are asked for of trusted issuers only.
    const issuer = typeof read === 'string' ? '' : String(read.claims.iss)
    throw issuerKeysUnavailable(error.message, issuer, error.code)
  }
}

/** Returns the reason for the log why an assertion is not about a client; undefined if it is. */
export function mismatch(client: Client, { issuer, claims }: Assertion): string | undefined {
  const { client_id, assertion_issuer, assertion_subject, assertion_claims = [] } = client
  // An assertion about a user proves no client.
  if (issuer.profile !== 'workload') return 'its issuer makes no assertions about workloads'
  if (assertion_issuer !== issuer.issuer) return 'its issuer is not the assertion_issuer of the client'
  // RFC 7523 §3: the sub is the client_id, unless the operator says which sub the client has.
  if (
    !(assertion_subject === undefined ? claims.sub === client_id : matches(assertion_subject, claims.sub))
  ) {
    return 'its sub is not the assertion_subject of the client'
  }
  const unmet = unmetCondition(assertion_claims, claims)
  return unmet === undefined ? undefined : `it does not meet the condition ${unmet} of the client`
}

function matches(text: string, value: string): boolean {
  const pattern = parsePattern(text)
  return typeof pattern !== 'string' && matchesPattern(pattern, value)
}
