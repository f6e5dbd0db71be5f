import { hash } from 'node:crypto'
import { readEmail } from '../core/email-address.ts'
import { parseObject } from '../core/json.ts'
import type { Facts } from '../core/reasons.ts'
import { factsOf, type PartyFault } from '../core/third-parties.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import {
  type Failure,
  type MethodContext,
  methodOfProvider,
  type RoundResult,
  type SignInMethod,
  type SignInRound,
} from '../interaction/sign-in-method.ts'
import type { WaysBack } from '../interaction/ways-back.ts'
import { ownerOfLink } from '../users/links.ts'
import type { User } from '../users/user-record.ts'
import { domainOf } from './believed.ts'
import { callbackOf } from './callback.ts'
import { findProvider, listProviders } from './find-providers.ts'
import { firstSignIn } from './first-sign-in.ts'
import { providerButtons, providerProblem } from './page-parts.ts'
import type { RelyingParties } from './parties.ts'
import type { Provider } from './provider-record.ts'
import { losesGroups, takeOver } from './take-over.ts'
import { ProviderFailure, type UpstreamRound, type UpstreamUser, upstreamUser } from './upstream.ts'
import { comeBack, depart, type VisitContext } from './visit.ts'

const NAME = 'provider'
const PREFIX = methodOfProvider('')

/** The method of a sign-in by a provider, in id_tokens. */
const FEDERATED = 'fed'

/** How long an answer is remembered as used, in seconds: longer than a pending request lasts. */
const USED = 3600
/** How long a browser remembers by which provider somebody came, in seconds. */
const REMEMBERED = 90 * 86_400

/**
 * Sign-in by providers: a button for each, and the method `provider:<name>` behind it.
 * @param only the one provider by which people sign in; absent: there are other ways, too
 */
export function providerMethod(parts: MethodParts, parties: RelyingParties, only?: string): SignInMethod {
  return {
    ...oneProvider(parts, parties, NAME),
    variant: (name) => (name.startsWith(PREFIX) ? oneProvider(parts, parties, name) : undefined),
    straightTo: async ({ provider, idp_hint, login_hint }) => {
      const wanted = [provider, idp_hint, only].find((name) => name !== undefined)
      const found =
        wanted === undefined ? await providerOf(parts, login_hint) : await findProvider(parts, wanted)
      return found && methodOfProvider(found.provider)
    },
    async prepare(last) {
      const providers = await listProviders(parts)
      // The one that was used last in this browser comes first.
      providers.sort(
        (one, other) =>
          Number(methodOfProvider(other.provider) === last) - Number(methodOfProvider(one.provider) === last),
      )
      const shown = only === undefined ? providers : providers.filter(({ provider }) => provider === only)
      return only === undefined
        ? {
            offer: ({ texts, ways }) => providerButtons(shown.filter(mayBeOf(ways)), texts),
            leads_by_name: shown.some(({ email_domains }) => email_domains.length > 0),
          }
        : { fields: ({ texts }) => providerButtons(shown, texts) }
    },
  }
}

/** Whether somebody who has these ways may come back by a provider as the same person. */
const mayBeOf =
  (ways: WaysBack | undefined) =>
  ({ issuer }: Provider): boolean =>
    ways === undefined || ways.links.some((link) => link.startsWith(`${issuer}#`))

/** The provider to which people with an address of this domain go at once. @throws StorageUnavailable */
async function providerOf(parts: MethodParts, hint: string | undefined): Promise<Provider | undefined> {
  const email = hint === undefined ? undefined : readEmail(hint)
  if (email === undefined) return undefined
  return (await listProviders(parts)).find(({ email_domains }) => email_domains.includes(domainOf(email)))
}

function oneProvider(parts: MethodParts, parties: RelyingParties, name: string): SignInMethod {
  const visiting: VisitContext = { context: parts, parties }
  const provider_name = name.slice(PREFIX.length)
  return {
    name,
    first_step_amr: FEDERATED,
    acr_values: ['1'],
    username: () => undefined,
    async authenticate(context, round) {
      // Read for each round: who is disabled meanwhile is refused.
      const provider = await findProvider(parts, provider_name)
      if (provider === undefined)
        return failed({ party: 'provider', name: provider_name, step: 'record', code: 'OFF' }, 'off')
      try {
        return round.challenge === undefined
          ? await start(visiting, provider, round)
          : await finish({ ...parts, ...context }, visiting, provider, round)
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        const { problem, step, code } = error
        context.log.warn({ provider: provider_name, step, code }, 'A sign-in by a provider led nowhere.')
        const fault = { party: 'provider', name: provider_name, step, code } as const
        return problem === 'broken' ? failed(fault, 'broken') : refused('denied', { ...factsOf(fault) })
      }
    },
    texts: ({ problem, texts }) => providerProblem(problem, texts),
  }
}

async function start(
  visiting: VisitContext,
  provider: Provider,
  { is_again, max_age, login_hint }: SignInRound,
): Promise<RoundResult> {
  const { location, kept } = await depart(visiting, provider, { is_again, max_age })
  if (login_hint !== undefined) location.searchParams.set('login_hint', login_hint)
  return {
    outcome: 'site',
    challenge: JSON.stringify(kept),
    location(state) {
      location.searchParams.set('state', state)
      return location.href
    },
  }
}

/**
 * Whether a departure brought back a code before: made-up ones are not all taken to the provider, which may lose patience
 * with this server. It leaves a counter and no record, because it takes no credentials.
 */
async function isSpent(
  { storage }: Pick<MethodParts, 'storage'>,
  { code_verifier }: UpstreamRound,
): Promise<boolean> {
  const name = hash('sha256', `departure ${code_verifier}`, 'hex')
  return (await storage.counters.countFailure('departure', name, USED * 1000)).count > 1
}

async function finish(
  context: MethodParts & MethodContext,
  visiting: VisitContext,
  provider: Provider,
  { answer, challenge = '', arrived_at, remembered }: SignInRound,
): Promise<RoundResult> {
  // Before the provider is asked: what it says of the person from then on is about this sign-in.
  const upstream_at = context.now()
  // Each provider has a callback of its own: an answer at another one is of somebody else (RFC 9700 §4.4.2.2).
  if (arrived_at !== callbackOf(context.settings, provider.provider)) return answeredBefore('OTHER_CALLBACK')
  const kept = parseObject(challenge) as unknown as UpstreamRound
  if (answer.code !== undefined && (await isSpent(context, kept)))
    return answeredBefore('CODE_BROUGHT_BEFORE')
  const upstream = await comeBack(visiting, provider, answer, kept)
  // Before anything is changed.
  if (!(await context.useOnce(`answer ${kept.code_verifier}`, USED))) return answeredBefore('ANSWERED_BEFORE')
  const user = await userOf(context, provider, upstream)
  if (typeof user === 'string') return refused(user)
  if (user.disabled) return { outcome: 'failed', reason: 'disabled_user', user }
  const { username } = user
  context.report({ event: 'provider_answered', username, provider: provider.provider, ...upstream.seen })
  const { factors } = await findFactors(context, username)
  const account_state = accountState(user, factors)
  // What the second step has the browser remember must stay.
  const remember = remembered === undefined && { remember: { text: '', seconds: REMEMBERED } }
  const { session: upstream_session } = upstream
  const came_from = {
    ...(upstream_session !== undefined && { upstream_session }),
    ...{ upstream_user: upstreamUser(upstream.link), upstream_at },
  }
  // Who does not say when somebody signed in there proves no recent sign-in.
  const { auth_time = 0 } = upstream.seen
  const proven = { user, amr: [FEDERATED], acr: '1', auth_time, account_state }
  return { outcome: 'ok', ...proven, ...came_from, ...remember }
}

async function userOf(
  context: MethodParts & MethodContext,
  provider: Provider,
  upstream: UpstreamUser,
): Promise<User | Parameters<typeof refused>[0]> {
  const owner = await ownerOfLink(context, upstream.link)
  if (owner === 'several') return 'several'
  if (owner === 'nobody') return firstSignIn(context, provider, upstream)
  if (owner.user.disabled || (owner.user.demo && !context.settings.demo)) return 'no_account'
  const user = await takeOver(context, provider, owner, upstream)
  if (user !== undefined && losesGroups(context, owner, upstream)) {
    const code = 'GROUPS_MISSING'
    const { provider: name, groups_claim } = provider
    context.outcomes.failed({ party: 'provider', name, step: 'groups', code }, context.now())
    context.log.warn(
      { provider: name, username: user.username, groups_claim, code },
      'A provider says no groups of somebody who had some: the claim is missing.',
    )
  }
  return user ?? 'busy'
}

/** A provider did not do its part, or is turned off. Nothing was guessed, so that it does not count. The page says why. */
function failed(fault: PartyFault, why: 'broken' | 'off'): Failure {
  return {
    outcome: 'failed',
    reason: 'upstream_failed',
    problem: `${NAME}_${why}`,
    facts: factsOf(fault),
    is_forgiven: true,
  }
}

/** The provider did its part: the browser brought an answer back a second time, or to another place. */
function answeredBefore(code: string): Failure {
  return {
    outcome: 'failed',
    reason: 'answered_before',
    problem: `${NAME}_broken`,
    facts: { code },
    is_forgiven: true,
  }
}

/** The person is known, and nobody here, or gave up there. */
function refused(why: Refused, facts: Facts = { code: why }): Failure {
  return {
    outcome: 'failed',
    reason: why === 'denied' ? 'upstream_denied' : 'upstream_account',
    problem: `${NAME}_${why}`,
    facts,
    is_forgiven: true,
  }
}

/** Why somebody whom a provider let go on cannot sign in here. */
export type Refused = 'denied' | 'no_account' | 'known' | 'domain' | 'busy' | 'several'
