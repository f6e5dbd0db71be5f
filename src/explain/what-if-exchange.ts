import type { Client } from '../clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../clients/record/grant-types.ts'
import { subjectFor } from '../clients/subject.ts'
import { type Actor, actorsOf } from '../core/actor.ts'
import { type CheckedDetail, checkDetails } from '../details/check-details.ts'
import type { Detail } from '../details/read-details.ts'
import { exchangeScope } from '../grants/exchange-scope.ts'
import { modeOf, rightsToExchange } from '../grants/exchange-subject.ts'
import { checkGrantType } from '../grants/pipeline.ts'
import { findTarget, ownTarget } from '../resources/target.ts'
import { accessTokenShape } from '../tokens/plan.ts'
import type { User } from '../users/user-record.ts'
import { attempt, findUser, nextStepContext, type RuleResult, result, type WhatIfContext } from './what-if.ts'

/** Which client would exchange what, and for which API. */
interface ExchangeAsked {
  readonly username: string
  /** Who would exchange. */
  readonly client_id: string
  /** Whose token it would be: the user signed in there. */
  readonly of_client: string
  /** The API that this token is for; absent: this server. */
  readonly of_resource?: string | undefined
  /** The API that the new token is for. */
  readonly resource: string
  readonly scope?: string | undefined
  /** What the new token would be for in detail, as the client would send it; the user allowed it to the other client. */
  readonly authorization_details?: string | undefined
}

interface ExchangeAnswer {
  readonly allowed: boolean
  readonly user?: User | undefined
  /** In the order in which they are checked. */
  readonly rules: readonly RuleResult[]
  /** What the client would get; absent: nothing. */
  readonly token?: {
    readonly format: string
    /** Seconds, if the token that is exchanged does not end before. */
    readonly expires_in: number
    readonly scope: string
    readonly details?: readonly Detail[]
    readonly audience: string
    /** Who would act, the current actor first; empty: nobody. */
    readonly actors: readonly string[]
  }
}

/**
 * Says whether a client could exchange a token that another client has for a user who signed in as strongly as is demanded:
 * by the rules of the token endpoint. Nothing is written.
 * @throws StorageUnavailable
 */
export async function whatIfExchange(given: WhatIfContext, asked: ExchangeAsked): Promise<ExchangeAnswer> {
  const context = nextStepContext(given)
  const rules: RuleResult[] = []
  const check = async (rule: string, run: () => Promise<void> | void) => {
    const error = await attempt(async () => run())
    rules.push(result(rule, error))
  }
  const find = async (client_id: string): Promise<Client | undefined> => {
    const found = await context.clients.demand(client_id)
    rules.push(
      found === undefined
        ? { rule: 'client', passed: false, reason: 'client_unknown' }
        : result('client', undefined),
    )
    return found
  }
  const client = await find(asked.client_id)
  const origin = asked.of_client === asked.client_id ? client : await find(asked.of_client)
  const user = await findUser(given, asked.username, rules)
  if (client === undefined || origin === undefined || user === undefined)
    return { allowed: false, user, rules }
  await check('client_grant_types', () => {
    checkGrantType({ grant_type: TOKEN_EXCHANGE }, client)
    modeOf(client)
  })
  let act: Actor | undefined
  await check('exchange', async () => {
    const sign_in = signInOf(given, origin, user)
    const rights = await rightsToExchange(context, client, tokenOf(asked), { origin, sign_in })
    act = rights.act
  })
  let details: readonly CheckedDetail[] | undefined
  const { authorization_details: given_details } = asked
  if (given_details !== undefined)
    await check('authorization_details', async () => {
      await checkDetails(context, origin, given_details)
      details = await checkDetails(context, client, given_details)
    })
  let token: ExchangeAnswer['token']
  await check('resource', async () => {
    const { of_resource, resource, scope } = asked
    const held =
      of_resource === undefined ? ownTarget(origin) : await findTarget(context, origin, of_resource)
    const target = await findTarget(context, client, resource)
    const { format, ttl } = accessTokenShape(given.settings, client, target)
    token = {
      format,
      expires_in: Math.min(ttl, given.settings.exchanged_token_ttl),
      scope: exchangeScope(given.settings, client, scope, {
        ...{ target, act, held: held.scopes },
        has_details: details !== undefined,
      }),
      ...(details && { details: details.map(({ detail }) => detail) }),
      audience: target.audience,
      actors: actorsOf(act).map(({ sub }) => sub),
    }
  })
  const allowed = rules.every(({ passed }) => passed)
  return { allowed, user, rules, ...(allowed && token && { token }) }
}

const tokenOf = ({ of_client, of_resource }: ExchangeAsked) => ({
  client_id: of_client,
  ...(of_resource !== undefined && { audience: [of_resource] }),
})

/** A sign-in of this moment, as strong as the client demands. */
function signInOf({ settings, now }: WhatIfContext, origin: Client, user: User) {
  const [acr = '1'] = origin.required_acr ?? []
  return {
    subject: subjectFor(origin, user.sub, settings),
    username: user.username,
    sid: 'what-if',
    acr,
    started_at: String(now()),
    session_started_at: String(now()),
  }
}
