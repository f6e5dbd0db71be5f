import { Type } from '@sinclair/typebox'
import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../clients/record/grant-types.ts'
import { actorsOf } from '../core/actor.ts'
import { withEntries } from '../core/commit.ts'
import type { OAuthError } from '../core/errors.ts'
import type { SecurityEvent } from '../core/events.ts'
import { invalidTarget, tooManyDerived } from '../core/grant-errors.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { knownType, TOKEN_TYPE } from '../core/token-types.ts'
import { usableDetails } from '../details/check-details.ts'
import { formatDetails } from '../details/read-details.ts'
import { type Derived, MAX_DERIVATIONS, MAX_DERIVED } from '../storage/derivation.ts'
import { familyOfUses } from '../storage/family-ids.ts'
import type { TokenPlan } from '../tokens/plan.ts'
import { notedFor } from '../tokens/status-bits.ts'
import { findAccount } from '../tokens/token-account.ts'
import { type ExchangeActor, findActor } from './exchange-actor.ts'
import { exchangeForeign, type ForeignSubject, findForeignSubject } from './exchange-foreign.ts'
import { exchangeScope } from './exchange-scope.ts'
import { checkKey, type ExchangeSubject, findSubject, refusalFor } from './exchange-subject.ts'
import type { Grant, GrantContext, Granted, GrantedDetails, GrantHandler } from './grant-handler.ts'
import { identityExchange } from './identity-exchange.ts'

const SUBJECT_TYPES: readonly string[] = [TOKEN_TYPE.access_token, TOKEN_TYPE.jwt]

/**
 * Token exchange (RFC 8693): a client gets a token with which it acts for the user of another token, or a narrower one of
 * its own. The new token is of the family of the other one, and never more than that.
 */
export const tokenExchange: GrantHandler = {
  grant_type: TOKEN_EXCHANGE,
  parameters: {
    subject_token: 'the token of the person to act for',
    subject_token_type: `what it is: ${TOKEN_TYPE.access_token}, or ${TOKEN_TYPE.jwt}, also of a trusted issuer; for an identity assertion ${TOKEN_TYPE.id_token} or ${TOKEN_TYPE.refresh_token}`,
    actor_token: 'a token or assertion of the client itself; by default its authentication counts',
    actor_token_type: 'what that is',
    requested_token_type: `${TOKEN_TYPE.access_token}, the default, or ${TOKEN_TYPE.id_jag}, an identity assertion for another server`,
    audience:
      'the issuer of the server that an identity assertion is for; not for access tokens, where resource names the API',
  },
  presents: 'exchange',
  tells: true,
  narrows_details: true,
  issues: { id_token: false, first_refresh_token: false },
  answer: {
    members: {
      issued_token_type: Type.Optional(Type.String({ description: 'What was issued (RFC 8693 §2.2.1)' })),
    },
    of: async () => ({ issued_token_type: TOKEN_TYPE.access_token }),
  },

  parse(parameters) {
    if (parameters.requested_token_type === TOKEN_TYPE.id_jag) return identityExchange(parameters)
    const subject_token = required(parameters, 'subject_token')
    const type = required(parameters, 'subject_token_type')
    return exchange(parameters, subject_token, type)
  },
}

/** What an exchange is about, once it is checked. */
interface Prepared {
  readonly subject: ExchangeSubject | ForeignSubject
  readonly actor: ExchangeActor | undefined
  /** When the new token ends, in seconds since 1970. */
  readonly ends_by: number
}

function exchange(parameters: Parameters, subject_token: string, type: string): Grant {
  const { actor_token, scope } = parameters
  // RFC 8693 §2.1: with the token, and not without it.
  const actor_type = actor_token === undefined ? undefined : required(parameters, 'actor_token_type')
  let prepared: Prepared | undefined
  const given = () => {
    if (prepared === undefined) throw new TypeError('check comes first')
    return prepared
  }
  return {
    async check(context, client) {
      checkParameters(parameters, client)
      const subject =
        (await findForeignSubject(context, client, subject_token, type)) ??
        (await findSubject(context, client, subject_token, type))
      const actor =
        actor_token === undefined || actor_type === undefined
          ? undefined
          : await findActor(context, client, actor_token, actor_type)
      prepared = { subject, actor, ends_by: endOf(context, client, subject, actor) }
    },
    familyId: () => familyOf(given().subject),
    purpose: () => ({ ends_by: given().ends_by }),
    async write(context, client, plan) {
      const { subject, actor } = given()
      return 'assertion' in subject
        ? await exchangeForeign(context, client, plan, subject, actor, scope)
        : await derive(context, client, plan, subject, actor, scope)
    },
  }
}

/** @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `invalid_target` */
function checkParameters(parameters: Parameters, client: Client): void {
  const { requested_token_type, subject_token_type = '', actor_token, actor_token_type } = parameters
  const { resource, audience } = parameters
  const refuse = refusalFor(client)
  if (requested_token_type !== undefined && requested_token_type !== TOKEN_TYPE.access_token)
    throw refuse(
      'exchange_type',
      `requested_token_type must be ${TOKEN_TYPE.access_token} or ${TOKEN_TYPE.id_jag}.`,
      { requested_token_type: knownType(requested_token_type) },
    )
  if (!SUBJECT_TYPES.includes(subject_token_type))
    throw refuse('exchange_type', `subject_token_type must be ${SUBJECT_TYPES.join(' or ')}.`, {
      subject_token_type: knownType(subject_token_type),
    })
  if (actor_token === undefined && actor_token_type !== undefined)
    throw refuse('exchange_actor', 'There is an actor_token_type without an actor_token.', {
      fault: 'no actor_token',
    })
  // RFC 8693 §2.1 knows both; here an API has a URI, and a token is for one of them.
  if (resource === undefined || audience !== undefined || resource.includes(' '))
    throw invalidTarget('resource_missing', 'Name one API by the parameter resource, and no audience.', {
      received: { resources: resource?.split(' ') ?? [], has_audience: audience !== undefined },
      expected: { resources: 1 },
    })
}

/** Returns when the new token ends: with the tokens that it comes from, at the latest. In seconds since 1970. */
function endOf(
  { settings, now }: GrantContext,
  client: Client,
  subject: Prepared['subject'],
  actor: ExchangeActor | undefined,
): number {
  const seconds = Math.floor(now() / 1000)
  const ends = Math.min(
    'assertion' in subject ? Math.floor(subject.assertion.claims.exp) : endOfToken(subject),
    actor?.ends_at ?? Number.POSITIVE_INFINITY,
    seconds + settings.exchanged_token_ttl,
  )
  if (ends > seconds) return ends
  throw refusalFor(client)('exchange_subject', 'The subject_token or the actor_token ends now.', {
    fault: 'ends now',
  })
}

const endOfToken = ({ token }: ExchangeSubject) => Math.floor(token.expires_at.getTime() / 1000)

/** Returns the family of a subject token; undefined: that of another issuer has none here. */
const familyOf = (subject: Prepared['subject']) =>
  'assertion' in subject ? familyOfUses(subject.single_use ? [subject.single_use] : []) : subject.family

async function derive(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  subject: ExchangeSubject,
  actor: ExchangeActor | undefined,
  requested: string | undefined,
): Promise<Granted | GrantedDetails> {
  const { token, origin, sign_in, act } = subject
  if (plan.details === 'asked') return { details: token.authorization_details ?? '' }
  const { confirmation, single_uses } = plan
  checkKey(client, token.confirmation, subject.may_lack_key, confirmation)
  checkKey(client, actor?.confirmation, false, confirmation)
  const authorization_details = await detailsFor(context, client, plan, token)
  const scope = exchangeScope(context.settings, client, requested, {
    target: plan.target,
    act,
    held: scopeNames(token.scope),
    has_details: authorization_details !== undefined,
  })
  if (actor?.single_use !== undefined && single_uses.some(({ id }) => id === actor.single_use?.id))
    throw refusalFor(client)(
      'exchange_actor',
      'One assertion cannot be both actor_token and client_assertion.',
      { fault: 'one assertion for both' },
    )
  const { client_id } = client
  const event: SecurityEvent = {
    event: 'token_exchanged',
    client_id,
    of_client: origin.client_id,
    resource: plan.target.resource,
    actors: actorsOf(act).length,
    username: sign_in.username,
  }
  const user = context.report.entriesOf && (await findAccount(context, origin, sign_in))
  const outcome = await withEntries(context, [event], { sub: user?.sub }, (told) =>
    context.storage.families.deriveToken(
      {
        subject: subject.proven,
        token: plan.jti,
        is_jwt: plan.format === 'jwt',
        client_id,
        scope,
        audience: plan.target.audience,
        access_token_ttl: plan.access_token_kept,
        fields: {
          issued_at: String(plan.issued_at),
          ...(act && { act: JSON.stringify(act) }),
          ...(authorization_details && { authorization_details }),
        },
        single_uses: actor?.single_use === undefined ? single_uses : [...single_uses, actor.single_use],
        ...(confirmation && { confirmation }),
        ...(actor?.proven && { actor_token: actor.proven }),
        ...notedFor(plan, client, act && { act: JSON.stringify(act) }),
      },
      told,
    ),
  )
  if (outcome !== 'ok') throw refusalOf(outcome, client)
  context.report(event)
  return { scope, act, authorization_details, user: { sign_in, origin } }
}

/**
 * Returns the details of a derived token: those that are asked for, or those of the subject token that the client may have.
 */
async function detailsFor(
  context: GrantContext,
  client: Client,
  { details }: TokenPlan,
  { authorization_details }: ExchangeSubject['token'],
): Promise<string | undefined> {
  if (typeof details === 'object') return details.text
  return formatDetails((await usableDetails(context, client, authorization_details)) ?? [])
}

function refusalOf(outcome: Exclude<Derived, 'ok'>, client: Client): OAuthError {
  if (outcome === 'ended')
    return refusalFor(client)('exchange_subject', 'The subject_token ended while it was exchanged.', {
      fault: 'ended',
    })
  if (outcome === 'depth')
    return refusalFor(client)(
      'exchange_chain',
      `The subject_token was exchanged ${MAX_DERIVATIONS} times already, one token for the other.`,
      { exchanges: MAX_DERIVATIONS },
    )
  if (outcome === 'many') return tooManyDerived(MAX_DERIVED, client.client_id)
  return usedBefore(outcome, client.client_id)
}
