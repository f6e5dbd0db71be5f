import type { Settings } from '../config/settings.ts'
import type { EmailAddress } from '../core/email-address.ts'
import { randomText } from '../core/token-string.ts'
import { foldName, nameForm } from '../core/visible-text.ts'
import { setLinks, type UserLinkContext } from '../users/links.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { insertUser, newSub } from '../users/new-user.ts'
import { ownerOfAddress, type ReadUser } from '../users/owner-of-address.ts'
import { isUsername, parseUser, type User } from '../users/user-record.ts'
import { domainOf } from './believed.ts'
import type { Provider } from './provider-record.ts'
import { groupFields } from './take-over.ts'
import { ProviderFailure, type UpstreamUser } from './upstream.ts'

/** What it takes to decide about somebody whom no account is linked to. */
export interface FirstContext extends UserLinkContext {
  readonly settings: Pick<Settings, 'groups_claim'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Uses up a text, at all replicas: true for the first caller. @throws StorageUnavailable */
  useOnce(text: string, seconds: number): Promise<boolean>
}

/** Why somebody gets no account, and is none. */
export type ProviderRefusal = 'no_account' | 'known' | 'domain' | 'busy'

/** For how long one identity makes one account, in seconds. */
const CLAIM = 60

/**
 * Decides about somebody whom no account is linked to: who has an account with this address, which both sides verified, is
 * this account, if the record says so; else an account is made, if the record says so.
 * @throws ProviderFailure if what it says does not fit into a record; StorageUnavailable
 */
export async function firstSignIn(
  context: FirstContext,
  provider: Provider,
  upstream: UpstreamUser,
): Promise<User | ProviderRefusal> {
  const { links_by_email, creates_users, email_domains } = provider
  if (!links_by_email && !creates_users) return 'no_account'
  const { email } = upstream
  if (email_domains.length > 0 && (email === undefined || !email_domains.includes(domainOf(email))))
    return 'domain'
  const owner = email && (await ownerOfAddress(context.storage, email))
  if (owner !== undefined) return links_by_email ? linkByAddress(context, provider, upstream, owner) : 'known'
  return creates_users ? createUser(context, provider, upstream) : 'no_account'
}

/** Two tabs, or two replicas, make one account. */
const isFirst = (context: FirstContext, { link }: UpstreamUser) => context.useOnce(`first ${link}`, CLAIM)

async function linkByAddress(
  context: FirstContext,
  { provider, issuer }: Provider,
  upstream: UpstreamUser,
  owner: ReadUser | 'several',
  isOnly = () => isFirst(context, upstream),
): Promise<User | ProviderRefusal> {
  // An administrator links by hand: the address of one is worth more than a provider's word.
  if (owner === 'several' || owner.user.disabled || (owner.user.admin ?? []).length > 0) return 'known'
  // Who removed the link meant it: only the account page links this provider again.
  if (owner.user.unlinked_issuers?.includes(issuer)) return 'known'
  if (!(await isOnly())) return 'busy'
  const { username, linked_subjects = [] } = owner.user
  const event = { event: 'provider_linked', username, provider } as const
  const links = [...linked_subjects, upstream.link]
  if ((await setLinks(context, owner, { links }, event)) === 'stale') return 'busy'
  return { ...owner.user, linked_subjects: links, generation: owner.user.generation + 1 }
}

async function createUser(
  context: FirstContext,
  of: Provider,
  upstream: UpstreamUser,
): Promise<User | ProviderRefusal> {
  const { provider, links_by_email } = of
  if (!(await isFirst(context, upstream))) return 'busy'
  const { link, email, profile, introduced } = upstream
  const sub = newSub()
  const hash = {
    sub,
    linked_subjects: link,
    ...introduced,
    ...profile,
    ...(email && { email: email.text, email_verified: 'true' }),
    ...groupFields(context, of, upstream),
  }
  const username = await freeName(context, provider, email)
  const parsed = parseUser(username, hash)
  if (!parsed.ok) throw new ProviderFailure('broken', 'userinfo', 'PROFILE_TOO_LONG')
  const event = { event: 'provider_linked', username, provider } as const
  const findOwner = async () => email && (await ownerOfAddress(context.storage, email))
  const outcome = await insertUser(context, username, hash, {
    more: [event],
    // Another account may get the address at the same moment, whatever the two are called.
    also_held: email === undefined ? [] : [foldName(email.text)],
    isFree: async () => (await findOwner()) === undefined,
  })
  if (outcome === 'ok') return parsed.record
  const owner = await findOwner()
  if (owner === undefined) return 'busy'
  return links_by_email ? linkByAddress(context, of, upstream, owner, async () => true) : 'known'
}

/** The address, if nobody is called so: people know it. Else a name that nobody has. */
async function freeName(
  { storage }: FirstContext,
  provider: string,
  email: EmailAddress | undefined,
): Promise<string> {
  const wanted = email && nameForm(email.text)
  const is_free = wanted !== undefined && isUsername(wanted) && !(await isNameTaken(storage, wanted))
  return is_free ? wanted : `${provider}-${randomText(9)}`
}
