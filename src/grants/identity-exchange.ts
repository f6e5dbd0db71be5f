import type { Application } from '../applications/application-record.ts'
import { idElsewhere } from '../applications/named-client.ts'
import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import { withEntries } from '../core/commit.ts'
import { serverError } from '../core/errors.ts'
import type { SecurityEvent } from '../core/events.ts'
import { invalidTarget, noAssertionsFor } from '../core/grant-errors.ts'
import type { ClientId } from '../core/ids.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { resourceId } from '../core/resource-uri.ts'
import { resolveScope } from '../core/scope.ts'
import { newId } from '../core/token-string.ts'
import { IDENTITY_ASSERTION_TTL, TOKEN_TYPE } from '../core/token-types.ts'
import { checkDetails, narrowDetails } from '../details/check-details.ts'
import { type Detail, parseDetails } from '../details/read-details.ts'
import type { SigningKey } from '../keys/ring.ts'
import { signIdentityAssertion } from '../tokens/id-jag.ts'
import { publishedAlg } from '../tokens/plan.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import { accessFacts, mayUse } from '../users/client-access.ts'
import type { User } from '../users/user-record.ts'
import { refusalFor } from './exchange-subject.ts'
import type { GrantContext, IssuingGrant } from './grant-handler.ts'
import { findIdentity, IDENTITY_TYPES } from './identity-subject.ts'

/**
 * The exchange for an identity assertion (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.3): what a client shows to
 * another server to act there for a person who signed in here. An operator says by a record to which server, for which of
 * its APIs, with which scopes, and about whom.
 */
export function identityExchange(parameters: Parameters): IssuingGrant {
  const subject_token = required(parameters, 'subject_token')
  const type = required(parameters, 'subject_token_type')
  const audience = required(parameters, 'audience')
  return {
    check: (_context, client) => checkParameters(parameters, client),
    async issue(context, client, { confirmation, single_uses }) {
      const { application, client_id: elsewhere } = await findApplication(context, client, audience)
      const resource = resourceIn(application, parameters.resource)
      const scope = resolveScope(parameters.scope, application.scopes)
      const { authorization_details } = parameters
      const asked =
        authorization_details === undefined
          ? undefined
          : await checkDetails(context, client, authorization_details)
      // Keys can be missing: fail before anything is used up.
      const key = await keyFor(context, application)
      const subject = await findIdentity(context, client, subject_token, type, { confirmation })
      const { user, sign_in, presented } = subject
      checkGroups(context, client, application, user)
      // Absent means none (RFC 9396 §6.1): the other server learns no more than the client asks for.
      const details = asked && parseDetails(narrowDetails(asked, sign_in.authorization_details))
      const named = await subjectAt(context, application, user)
      const { client_id } = client
      const event: SecurityEvent = {
        event: 'assertion_issued',
        ...{ client_id, application: audience, resource, scope, username: user.username },
      }
      const presentation = { ...presented, client_id, single_uses }
      const outcome = await withEntries(context, [event], { sub: user.sub }, (told) =>
        context.storage.families.presentToken(presentation, told),
      )
      if (outcome === 'ended')
        throw refusalFor(client)('exchange_subject', 'The subject_token ended while it was exchanged.')
      if (outcome !== 'ok') throw usedBefore(outcome, client_id)
      context.report(event)
      const issued_at = Math.floor(context.now() / 1000)
      const ends_at = Math.min(issued_at + IDENTITY_ASSERTION_TTL, subject.ends_at)
      const { auth_time, amr, acr } = sign_in
      const assertion = signIdentityAssertion(context, key, {
        jti: newId(),
        audience: application.application,
        client_id: elsewhere,
        subject: named,
        ...{ resource, scope, auth_time, amr, acr, issued_at, ends_at },
        authorization_details: details,
        jkt: confirmation?.jkt,
        email: application.says_email ? verifiedAddress(user) : undefined,
      })
      return answerWith(assertion, ends_at - issued_at, scope, details)
    },
  }
}

/** The answer (draft -04 §4.3.4): never with a refresh token. */
function answerWith(
  access_token: string,
  expires_in: number,
  scope: string,
  details: readonly Detail[] | undefined,
): TokenResponse {
  const answer = { access_token, issued_token_type: TOKEN_TYPE.id_jag, expires_in, scope }
  const named = details === undefined ? {} : { authorization_details: [...details] }
  return { ...answer, token_type: 'N_A', ...named } as TokenResponse
}

/** @throws OAuthError `invalid_request` (RFC 8693 §2.2.2) */
function checkParameters({ subject_token_type = '', ...given }: Parameters, client: Client): void {
  const refuse = refusalFor(client)
  if (!IDENTITY_TYPES.includes(subject_token_type))
    throw refuse('exchange_type', `subject_token_type must be ${IDENTITY_TYPES.join(' or ')}.`)
  // Draft -04 §4.3: what an actor_token would mean is not said.
  if (given.actor_token !== undefined || given.actor_token_type !== undefined)
    throw refuse('exchange_actor', 'An identity assertion has no actor: leave actor_token out.')
}

/** @throws OAuthError `invalid_target`; StorageUnavailable */
async function findApplication(
  { applications, settings }: GrantContext,
  { client_id }: Client,
  audience: string,
): Promise<{ application: Application; client_id: ClientId }> {
  // Draft -04 §9.3: not for this server itself.
  const application = audience === settings.issuer ? undefined : await applications.find(audience)
  const elsewhere = application && idElsewhere(application.clients, client_id)
  if (application === undefined || elsewhere === undefined)
    throw noAssertionsFor(client_id, { audience, fault: application === undefined ? 'unknown' : 'client' })
  return { application, client_id: elsewhere }
}

/** Returns the API there as its record has it. @throws OAuthError `invalid_target` */
function resourceIn({ resources }: Application, given: string | undefined): string {
  const id = given === undefined ? undefined : resourceId(given)
  const found = id === undefined ? undefined : resources.find((uri) => resourceId(uri) === id)
  if (found !== undefined) return found
  throw given === undefined || given.includes(' ')
    ? invalidTarget('resource_missing', 'Name one API of the other server by the parameter resource.', {
        received: { resources: given?.split(' ') ?? [] },
        expected: { resources: 1 },
      })
    : invalidTarget('resource_not_granted', 'There are no identity assertions for this resource.', {
        received: { resource: given },
        expected: { resources },
      })
}

async function keyFor(
  { settings, keys }: GrantContext,
  { assertion_signing_alg, application }: Application,
): Promise<SigningKey> {
  await keys.firstKeys()
  const alg = publishedAlg(settings, assertion_signing_alg, `The other server ${application}`)
  return keys.signingKey(alg ?? settings.id_token_alg)
}

/** @throws OAuthError `invalid_request` */
function checkGroups(context: GrantContext, client: Client, application: Application, user: User): void {
  if (mayUse(application, user, context.settings)) return
  const { received } = accessFacts(application, user, context.settings)
  throw refusalFor(client)(
    'exchange_group',
    'The person of the subject_token may not be named to this server.',
    received,
  )
}

/**
 * Returns the person as the other server knows them: as its own sign-ins here do (draft -04 §3, `sub`).
 * @throws OAuthError `server_error`; StorageUnavailable
 */
async function subjectAt(
  { clients, settings }: GrantContext,
  { application, subject_of }: Application,
  { sub }: User,
): Promise<string> {
  if (subject_of === undefined) return sub
  const known_as = await clients.find(subject_of)
  if (known_as !== undefined) return subjectFor(known_as, sub, settings)
  throw serverError(
    `The other server ${application} names people as the client ${subject_of}, which is unknown, disabled or malformed.`,
  )
}

const verifiedAddress = ({ claims }: User) => (claims.email_verified === 'true' ? claims.email : undefined)
