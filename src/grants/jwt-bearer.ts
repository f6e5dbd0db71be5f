import { clientOfAssertion, mismatch, verifyPresented } from '../clients/authentication/client-assertion.ts'
import { type Caller, type ProvenCaller, proveClient } from '../clients/authentication/client-auth.ts'
import { readClientCredentials } from '../clients/authentication/client-credentials.ts'
import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import { usesCertificate } from '../clients/record/mtls-fields.ts'
import { invalidGrant, refusedAssertion } from '../core/grant-errors.ts'
import type { ClientId } from '../core/ids.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { isGrantedTarget } from '../core/resource-uri.ts'
import { singleUseOf } from '../issuers/assertion-id.ts'
import type { Assertion, AssertionRefusal } from '../issuers/verify-assertion.ts'
import { scopeOf, withoutRights } from '../resources/target.ts'
import type { TokenPlan } from '../tokens/plan.ts'
import { grantAsserted } from './asserted-grant.ts'
import type { Grant, GrantContext, Granted, GrantHandler } from './grant-handler.ts'
import { identityGrant, statedTarget } from './identity-assertion.ts'

/** A verified assertion, and the client that presents it. */
interface Presented extends ProvenCaller {
  readonly assertion: Assertion
}

/**
 * The JWT bearer grant (RFC 7523 §2.1) for assertions of trusted issuers: about a workload, which is then the client, or
 * about a user (ID-JAG).
 */
export const jwtBearer: GrantHandler = {
  grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  parameters: { assertion: 'a JWT of a trusted issuer (RFC 7523)' },
  presents: 'assertion',
  // RFC 7521 §4.1: the client presents another assertion instead of a refresh token.
  issues: { id_token: false, first_refresh_token: false },
  isEnabled: ({ trusted_issuers }) => trusted_issuers,

  parse(parameters) {
    const jwt = required(parameters, 'assertion')
    return {
      async authenticate(context, caller) {
        // An end that comes while it is judged ends what it grants.
        const judged_since = context.now()
        const { client, assertion, single_uses } = await prove(context, caller, parameters, jwt)
        const grant = grantOf(assertion, parameters.scope, judged_since)
        const once = singleUseOf(assertion, context.now())
        if (once === undefined) return { client, single_uses, grant }
        // One assertion cannot be both the grant and the client authentication.
        if (single_uses.some(({ id }) => id === once.id)) throw replayed(assertion, client)
        return { client, single_uses: [once, ...single_uses], grant }
      },
    }
  },
}

/** Returns what a verified assertion grants. */
function grantOf(assertion: Assertion, scope: string | undefined, judged_since: number): Grant {
  return {
    async write(context, client, plan) {
      demandConfirmation(assertion, plan)
      // Another issuer gives no right at the admin API: it would be as mighty as an administrator here.
      const own = withoutRights(plan.target)
      const target = await authorisedTarget(context, assertion)
      if (target !== undefined && !isGrantedTarget(target, plan.target.resource)) return { target }
      const granted =
        assertion.issuer.profile === 'id-jag'
          ? await identityGrant(context, client, assertion, scope, own, judged_since)
          : { scope: scopeOf(own, client, scope) }
      await spend(context, client, plan, assertion, granted)
      return granted
    },
  }
}

/** Authenticates the client: by its own credentials, or by the assertion if that is about the client (RFC 7523 §3.1). */
async function prove(
  context: GrantContext,
  caller: Caller,
  parameters: Parameters,
  jwt: string,
): Promise<Presented> {
  const { client_id, client_secret } = readClientCredentials(caller.basic, parameters)
  const has_no_credentials = client_secret === undefined && parameters.client_assertion === undefined
  if (has_no_credentials && !(await provesByCertificate(context, caller, client_id))) {
    const proven = await clientOfAssertion(context, jwt, 'grant', client_id)
    if (!proven.ok) throw refused(proven)
    return { client: proven.client, assertion: proven.assertion, single_uses: [] }
  }
  const { client, single_uses } = await proveClient(context, caller, parameters)
  const verified = await verifyPresented(context, jwt, 'grant')
  if (!verified.ok) throw refused(verified)
  const detail = verified.issuer.profile === 'id-jag' ? foreign(client, verified) : mismatch(client, verified)
  if (detail !== undefined) throw refused({ fault: 'client', text: 'not about this client', detail })
  return { client, assertion: verified, single_uses }
}

/**
 * Checks that the request of an assertion comes with what its issuer bound the assertion to; the tokens are then bound to
 * it, too (draft-ietf-oauth-identity-assertion-authz-grant-04, Proof-of-Possession During ID-JAG Exchange).
 * @throws OAuthError `invalid_grant`
 */
function demandConfirmation(
  { confirmation: wanted = {} }: Assertion,
  { confirmation: proven = {} }: TokenPlan,
): void {
  if (wanted.jkt !== undefined && wanted.jkt !== proven.jkt) {
    throw refusedAssertion('assertion_other_key', 'it is bound to a key: send a DPoP proof of it')
  }
  const certificate = wanted['x5t#S256']
  if (certificate !== undefined && certificate !== proven['x5t#S256']) {
    throw refusedAssertion(
      'assertion_other_key',
      'it is bound to a client certificate: send it with this one, as a client whose tokens are bound to certificates',
    )
  }
}

/** Whether a request is to be authenticated by its certificate. Without one, its assertion decides. */
async function provesByCertificate(
  { clients }: GrantContext,
  caller: Caller,
  client_id: ClientId | undefined,
): Promise<boolean> {
  if (client_id === undefined || !caller.certificate().ok) return false
  const client = await clients.find(client_id)
  return client !== undefined && usesCertificate(client)
}

/**
 * Returns the ids of the resources that an identity assertion is for (draft-ietf-oauth-identity-assertion-authz-grant-04
 * §3), separated by spaces; undefined for a workload, whose token request names them.
 * @throws OAuthError `invalid_grant` for a claim of another type, `invalid_target`; StorageUnavailable
 */
async function authorisedTarget(
  context: GrantContext,
  { issuer, claims }: Assertion,
): Promise<string | undefined> {
  if (issuer.profile !== 'id-jag') return undefined
  return await statedTarget(context, claims, refusedAssertion)
}

// draft-ietf-oauth-identity-assertion-authz-grant-04 §4.4.1.
function foreign({ client_id }: Client, { claims }: Assertion): string | undefined {
  return claims.client_id === client_id ? undefined : 'its client_id is not that of the client'
}

async function spend(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  assertion: Assertion,
  granted: Granted,
): Promise<void> {
  const outcome = await grantAsserted(context, client, plan, granted)
  if (outcome === 'ok') return
  if (outcome.kind === 'proof') throw usedBefore(outcome, client.client_id)
  throw replayed(assertion, client)
}

const replayed = ({ issuer: { issuer } }: Assertion, { client_id }: Client) =>
  invalidGrant('assertion_used', 'The assertion is refused: used before. Get a new one.', {
    cause: 'its jti was used before',
    event: { event: 'assertion_replayed', issuer, client_id },
  })

function refused({ fault, text, ...more }: Omit<AssertionRefusal, 'ok'>) {
  return refusedAssertion(`assertion_${fault}`, text, more)
}
