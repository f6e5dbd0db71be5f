import { claimsOf } from '../claims/claims.ts'
import { hasMail } from '../config/mail-settings.ts'
import { hasOnlyPasskeys, hasPasskeys } from '../config/passkey-settings.ts'
import { hasPasswords, hasProviders } from '../config/sign-in-ways.ts'
import { hasWebPush } from '../config/web-push-settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { View } from '../pages/layout.ts'
import type { ListedSession } from '../sessions/listed-sessions.ts'
import { groupsOf } from '../users/client-access.ts'
import type { AccountPageContext } from './account-context.ts'
import type { PageActor } from './action.ts'
import { readActivities } from './activity.ts'
import { pendingAddress } from './change-address.ts'
import { isOperator } from './delete-account.ts'
import { allOwnApplications, ownApplications } from './own-applications.ts'
import { changeableFields } from './own-profile.ts'
import { allOwnSessions, ownSessions } from './own-sessions.ts'
import type { ShownActivity } from './pages/activity.ts'
import { dataPage } from './pages/data.ts'
import { overviewPage } from './pages/overview.ts'
import { olderLink, placeIn } from './part.ts'

/** How many applications are named for a session. */
const MAX_APPLICATIONS = 5

/** Where the lists of the page begin, sealed; absent: at their beginning. */
interface Places {
  readonly sessions?: string | undefined
  readonly applications?: string | undefined
}

/** Reads all that the account page shows. @throws StorageUnavailable */
async function readOverview(context: AccountPageContext, { user, session }: PageActor, places: Places) {
  const placeOf = (list: keyof Places) => placeIn(context, list, user.sub, places[list])
  const [sessions, applications, { factors }, activities] = await Promise.all([
    ownSessions(context, user, session.sid, placeOf('sessions')),
    ownApplications(context, user, placeOf('applications')),
    findFactors(context, user.username),
    ownActivities(context, user.username),
  ])
  return { sessions, applications, factors, activities, groups: groupsOf(user, context.settings) }
}

/** What happened lately, with the names of applications as far as they are there. @throws StorageUnavailable */
async function ownActivities(context: AccountPageContext, username: string): Promise<ShownActivity[]> {
  const activities = await readActivities(context, username)
  return Promise.all(
    activities.map(async (activity) => {
      const { client_id } = activity
      if (client_id === undefined) return activity
      return { ...activity, client_name: (await context.clients.find(client_id))?.client_name ?? client_id }
    }),
  )
}

/** What applications ask the person, and which may not any more. @throws StorageUnavailable */
async function askedOf(context: AccountPageContext, user: PageActor['user']) {
  if (context.settings.ask_people === 'off') return { asks: [], muted: [] }
  const { mutedClients, ownAsks } = await import('../asks/own-asks.ts')
  const [asks, muted] = await Promise.all([ownAsks(context, user), mutedClients(context, user)])
  return { asks, muted }
}

/** The names of applications that a session was used for; of many, only the first ones. @throws StorageUnavailable */
async function applicationsOf(
  { clients }: AccountPageContext,
  { session }: ListedSession,
): Promise<string[]> {
  const ids = [...session.clients]
  const shown = ids.slice(0, MAX_APPLICATIONS).map(async (id) => (await clients.find(id))?.client_name ?? id)
  return [...(await Promise.all(shown)), ...(ids.length > MAX_APPLICATIONS ? ['…'] : [])]
}

/** The account page. @param query what was done just now, and where the lists begin. @throws StorageUnavailable */
export async function showOverview(
  context: AccountPageContext,
  actor: PageActor,
  { done, sessions: first_session, applications: first_application }: Parameters,
): Promise<(view: View) => string> {
  const { settings } = context
  const has_mail = hasMail(settings)
  const { base, user } = actor
  const places = { sessions: first_session, applications: first_application }
  const [{ sessions, applications, ...read }, changeable, providers, pending, asked] = await Promise.all([
    readOverview(context, actor, places),
    changeableFields(context, user),
    hasProviders(settings) ? import('./own-providers.ts').then((own) => own.ownProviders(context, user)) : [],
    has_mail ? pendingAddress(context, user.username) : undefined,
    askedOf(context, user),
  ])
  const shown = await Promise.all(
    sessions.items.map(async (one) => ({ ...one, applications: await applicationsOf(context, one) })),
  )
  const older = (list: keyof Places, next: string | undefined) =>
    olderLink(context, base, list, user.sub, next)
  const change_password = settings.change_password_url ?? pathAt(settings, `${PATHS.account}/password`)
  const props = {
    ...actor,
    ...read,
    ...asked,
    changeable,
    providers,
    sessions: shown,
    older_sessions: older('sessions', sessions.next),
    sessions_place: places.sessions,
    applications: applications.items,
    acting: applications.acting,
    support: applications.support,
    older_applications: older('applications', applications.next),
    own_sid: actor.session.sid,
    has_mail,
    pending,
    scope_texts: settings.scope_texts,
    scope_claims: settings.scope_claims,
    done,
    has_passkeys: hasPasskeys(settings),
    has_only_passkeys: hasOnlyPasskeys(settings),
    has_passwords: hasPasswords(settings) || settings.change_password_url !== undefined,
    has_notices: hasWebPush(settings),
    has_second_step: settings.second_factor !== 'off',
    can_delete: settings.account_deletion === 'on' && !isOperator(actor.user),
    change_password,
    now: context.now(),
  }
  return (view) => overviewPage(props, view)
}

/** Reads all that is kept about a person, without anything that gives access. @throws StorageUnavailable */
async function readData(context: AccountPageContext, { user }: PageActor) {
  const [sessions, { items: applications, acting, support }, { factors }, activities] = await Promise.all([
    allOwnSessions(context, user),
    allOwnApplications(context, user),
    findFactors(context, user.username),
    ownActivities(context, user.username),
  ])
  return { user, sessions, applications, acting, support, factors, activities }
}

/** The page with the data of a person, to be read and printed. @throws StorageUnavailable */
export async function showData(
  context: AccountPageContext,
  actor: PageActor,
): Promise<(view: View) => string> {
  const { settings } = context
  const { scope_texts, scope_claims } = settings
  const groups = groupsOf(actor.user, settings)
  const props = { base: actor.base, groups, scope_texts, scope_claims, ...(await readData(context, actor)) }
  return (view) => dataPage(props, view)
}

/** The same for programs: times in ISO 8601, claims with the types that tokens give them. @throws StorageUnavailable */
export async function ownData(context: AccountPageContext, actor: PageActor): Promise<object> {
  const { user, sessions, applications, acting, support, factors, activities } = await readData(
    context,
    actor,
  )
  const { username, sub, claims, custom_claims } = user
  const names = [...Object.keys(claims), ...Object.keys(custom_claims)]
  const { totp, recovery, passkeys } = factors
  return {
    username,
    sub,
    claims: claimsOf(user, names, context.log),
    sessions: sessions.map(({ session }) => {
      const { started_at, last_used_at, browser, address, clients } = session
      return {
        started_at: isoTime(started_at),
        last_used_at: isoTime(last_used_at),
        ...{ browser, address, clients: [...clients] },
      }
    }),
    applications: applications.map(({ details, since, last_used_at, ...one }) => ({
      ...one,
      authorization_details: details.map(({ detail, is_live, is_remembered }) => ({
        ...{ detail, is_live, is_remembered },
      })),
      since: isoTime(since),
      last_used_at: isoTime(last_used_at),
    })),
    acting: acting.map(({ places, ...one }) => ({
      ...one,
      places: places.map(({ details, ...place }) => ({
        ...place,
        authorization_details: details.map(({ detail }) => detail),
      })),
    })),
    support: support.map(({ api, until }) => ({ api, until: isoTime(until) })),
    activities: activities.map(({ at, ...one }) => ({ at: isoTime(at), ...one })),
    linked: user.linked_subjects ?? [],
    second_step: totp && {
      created_at: isoTime(totp.created_at),
      recovery_codes: recovery?.digests.length ?? 0,
    },
    passkeys: [...passkeys.values()].map(({ name, created_at, last_used_at }) => ({
      name,
      created_at: isoTime(created_at),
      last_used_at: isoTime(last_used_at),
    })),
  }
}

const isoTime = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
