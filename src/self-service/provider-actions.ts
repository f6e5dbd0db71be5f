import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { parseObject } from '../core/json.ts'
import { newLink, readLink } from '../core/link.ts'
import type { Parameters } from '../core/parameters.ts'
import { factsOf } from '../core/third-parties.ts'
import { type AccountNow, besideOf, readAccountNow } from '../factors/account-now.ts'
import { CONFIRMED_FOR, keepConfirmed, readConfirmed } from '../factors/confirmation.ts'
import { findProvider } from '../providers/find-providers.ts'
import type { Provider } from '../providers/provider-record.ts'
import { ProviderFailure, type UpstreamRound } from '../providers/upstream.ts'
import { comeBack, depart, type VisitContext } from '../providers/visit.ts'
import { evidenceTag } from '../storage/evidence.ts'
import { ownerOfLink, setLinks } from '../users/links.ts'
import { evidenceOf } from './account-link.ts'
import type { ActionContext, ActionOutcome, PageActor } from './action.ts'
import { hasAnotherWay, linksWith, providersOf } from './own-providers.ts'
import type { ProviderProblem } from './pages/providers.ts'

const PURPOSE = 'link_provider'
/** What the `state` of a link begins with: that of a sign-in is a sealed request. */
const MARK = 'link~'

/** Whether an answer of a provider is for a link, and not for a sign-in. */
export const isForLink = ({ state = '' }: Parameters): boolean => state.startsWith(MARK)

// The answer must come back to this session of this browser, from this provider.
function linkEvidence(account: AccountNow, actor: PageActor, { provider }: Provider, value: string) {
  const step = `${provider} ${actor.session.sid}`
  return { ...evidenceOf(account, PURPOSE, value), step, browser: actor.browser.digest }
}

/** Sends a person who confirmed who it is to a provider, to link the account there. @throws StorageUnavailable */
export async function linkProvider(
  context: ActionContext,
  actor: PageActor,
  { provider: name = '' }: Parameters,
): Promise<ActionOutcome> {
  const { storage, now } = context
  const { username } = actor.user
  const [provider, account] = await Promise.all([
    findProvider(context, name),
    readAccountNow(context, username),
  ])
  const visiting = visitsOf(context)
  if (account === undefined || visiting === undefined) return { done: 'stale' }
  if (provider === undefined) return refused(context, actor, 'off')
  try {
    const { location, kept } = await depart(visiting, provider, { is_again: true, max_age: 0 })
    const link = newLink(evidenceTag(username))
    const created_at = now()
    await storage.evidence.give(link.digest, {
      ...linkEvidence(account, actor, provider, JSON.stringify(kept)),
      account: username,
      created_at,
      ends_at: created_at + CONFIRMED_FOR,
    })
    location.searchParams.set('state', MARK + link.text)
    return { leave: location.href }
  } catch (error) {
    return refused(context, actor, problemOf(context, provider, error))
  }
}

/**
 * Links the account that a person showed at a provider. The proof is used up before the provider is asked.
 * @throws StorageUnavailable
 */
export async function takeProviderLink(
  context: ActionContext,
  actor: PageActor,
  name: string,
  answer: Parameters,
): Promise<ActionOutcome> {
  const { storage } = context
  const { username } = actor.user
  const link = readLink(answer.state?.slice(MARK.length))
  const [provider, account] = await Promise.all([findProvider(context, name), readConfirmed(context, actor)])
  const visiting = visitsOf(context)
  if (link === undefined || account === undefined || visiting === undefined) return { done: 'stale' }
  if (provider === undefined) return refused(context, actor, 'off')
  // Of this account: a link with the tag of another one leads nowhere.
  const tag = evidenceTag(username)
  const proof = await storage.evidence.read(tag, link.digest)
  const expected = linkEvidence(account, actor, provider, proof?.value ?? '')
  if ((await storage.evidence.take(tag, link.digest, expected)) !== 'taken') return { done: 'stale' }
  try {
    const kept = parseObject(proof?.value ?? '') as unknown as UpstreamRound
    const upstream = await comeBack(visiting, provider, answer, kept)
    // Who was signed in there before may be somebody else. A provider that does not say when is believed that it asked.
    const { auth_time } = upstream.seen
    if (auth_time !== undefined && auth_time < Number(proof?.created_at) / 1000 - CLOCK_SKEW)
      throw new ProviderFailure('denied', 'answer', 'NOT_FRESH')
    return await addLink(context, actor, { account, provider }, upstream.link)
  } catch (error) {
    return refused(context, actor, problemOf(context, provider, error))
  }
}

async function addLink(
  context: ActionContext,
  actor: PageActor,
  { account, provider }: { readonly account: AccountNow; readonly provider: Provider },
  link: string,
): Promise<ActionOutcome> {
  const owner = await ownerOfLink(context, link)
  if (owner !== 'nobody') {
    const is_own = owner !== 'several' && owner.user.username === account.user.username
    return is_own ? { done: 'linked' } : refused(context, actor, 'taken')
  }
  const { username, linked_subjects = [] } = account.user
  const about = { username, provider: provider.provider } as const
  const links = [...linked_subjects, link]
  const unlinked = (account.user.unlinked_issuers ?? []).filter((issuer) => issuer !== provider.issuer)
  const event = { event: 'provider_linked', ...about } as const
  const beside = besideOf(username, account.factors)
  if ((await setLinks(context, account, { links, unlinked }, event, beside)) === 'stale')
    return { done: 'stale' }
  await context.storage.evidence.end(evidenceTag(username))
  // Somebody else linked it in the same moment: then it leads to nobody.
  if ((await ownerOfLink(context, link)) !== 'several') {
    const user = { ...account.user, linked_subjects: links, generation: account.user.generation + 1 }
    await keepConfirmed(context, { id: actor.session.id }, account, { ...account, user })
    return { done: 'linked' }
  }
  const now = await readAccountNow(context, username)
  const left = (now?.user.linked_subjects ?? []).filter((one) => one !== link)
  if (now !== undefined)
    await setLinks(context, now, { links: left }, { event: 'provider_unlinked', ...about })
  return refused(context, actor, 'taken')
}

/** Removes the link with a provider, unless it is all that the person can sign in with. @throws StorageUnavailable */
export async function unlinkProvider(
  context: ActionContext,
  actor: PageActor,
  { provider: name = '' }: Parameters,
): Promise<ActionOutcome> {
  const [provider, account] = await Promise.all([
    findProvider(context, name),
    readAccountNow(context, actor.user.username),
  ])
  if (provider === undefined || account === undefined) return { done: 'stale' }
  const links = linksWith(account.user, provider)
  if (links.length === 0) return { done: 'stale' }
  if (!(await hasAnotherWay(context, account.user, links))) return refused(context, actor, 'last')
  const { username, linked_subjects = [] } = account.user
  const left = linked_subjects.filter((link) => !links.includes(link))
  const event = { event: 'provider_unlinked', username, provider: provider.provider } as const
  const unlinked = [...new Set([...(account.user.unlinked_issuers ?? []), provider.issuer])]
  if ((await setLinks(context, account, { links: left, unlinked }, event)) === 'stale')
    return { done: 'stale' }
  await context.storage.evidence.end(evidenceTag(username))
  return { done: 'unlinked' }
}

const visitsOf = (context: ActionContext): VisitContext | undefined =>
  context.parties && { context, parties: context.parties }

async function refused(
  context: ActionContext,
  actor: PageActor,
  problem: ProviderProblem,
): Promise<ActionOutcome> {
  return { render: await providersOf(context, actor, problem) }
}

/** Returns what the page says, and tells operators more. @throws what no provider did wrong */
function problemOf({ refused }: ActionContext, provider: Provider, error: unknown): ProviderProblem {
  if (!(error instanceof ProviderFailure)) throw error
  const { problem, step, code } = error
  const reason = problem === 'broken' ? 'upstream_failed' : 'upstream_denied'
  refused({ reason, received: factsOf({ party: 'provider', name: provider.provider, step, code }) })
  return problem
}
