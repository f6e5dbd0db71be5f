import type { MutedClient } from '../asks/own-asks.ts'
import type { StoredSubscription } from '../asks/push/subscriptions.ts'
import { claimsOf } from '../claims/claims.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { View } from '../pages/layout.ts'
import { groupsOf } from '../users/client-access.ts'
import type { User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'
import type { PageActor } from './action.ts'
import { ownActivities } from './own-activities.ts'
import { allOwnApplications } from './own-applications.ts'
import { allOwnSessions } from './own-sessions.ts'
import { dataPage } from './pages/data.ts'

/** Reads all that is kept about a person, without anything that gives access. @throws StorageUnavailable */
async function readData(context: AccountPageContext, { user }: PageActor) {
  const [sessions, { items: applications, acting, support }, { factors }, activities, muted, notices] =
    await Promise.all([
      allOwnSessions(context, user),
      allOwnApplications(context, user),
      findFactors(context, user.username),
      ownActivities(context, user.username),
      mutedOf(context, user),
      browsersOf(context, user),
    ])
  return { user, sessions, applications, acting, support, factors, activities, muted, notices }
}

/** Which applications may not ask the person: it stays so while no application may ask. @throws StorageUnavailable */
export async function mutedOf(context: AccountPageContext, user: User): Promise<MutedClient[]> {
  if (user.muted_clients === undefined) return []
  return (await import('../asks/own-asks.ts')).mutedClients(context, user)
}

/** Which browsers tell the person that somebody asks: they are kept while notices are off. @throws StorageUnavailable */
async function browsersOf(context: AccountPageContext, { username }: User): Promise<StoredSubscription[]> {
  return (await import('../asks/push/subscriptions.ts')).subscriptionsOf(context, username)
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
  const { user, sessions, applications, acting, support, factors, activities, muted, notices } =
    await readData(context, actor)
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
    muted: muted.map(({ client_id, client_name }) => ({ client_id, client_name })),
    notices: notices.map(({ browser, language, added_at }) => ({
      ...{ browser, language },
      added_at: isoTime(added_at),
    })),
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
