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
import { pendingAddress } from './change-address.ts'
import { isOperator } from './delete-account.ts'
import { ownActivities } from './own-activities.ts'
import { ownApplications } from './own-applications.ts'
import { mutedOf } from './own-data.ts'
import { changeableFields } from './own-profile.ts'
import { ownSessions } from './own-sessions.ts'
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

/** What applications ask the person, and which may not any more. @throws StorageUnavailable */
async function askedOf(context: AccountPageContext, user: PageActor['user']) {
  const is_off = context.settings.ask_people === 'off'
  const [asks, muted] = await Promise.all([
    is_off ? [] : import('../asks/own-asks.ts').then((own) => own.ownAsks(context, user)),
    mutedOf(context, user),
  ])
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
