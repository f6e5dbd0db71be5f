import { groupsOf } from '../accounts/client-access.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import { hasPasskeys } from '../factors/passkeys/relying-party.ts'
import type { View } from '../pages/layout.ts'
import type { AccountPageContext } from './account-context.ts'
import type { Actor } from './actions.ts'
import { isOperator } from './delete-account.ts'
import { ownApplications } from './own-applications.ts'
import { ownSessions } from './own-sessions.ts'
import { overviewPage } from './pages/overview.ts'

/** Reads all that the account page shows. @throws StorageUnavailable */
async function readOverview(context: AccountPageContext, { user, session }: Actor) {
  const [sessions, applications, { factors }] = await Promise.all([
    ownSessions(context, user, session.sid),
    ownApplications(context, user),
    findFactors(context, user.username),
  ])
  return { sessions, applications, factors, groups: groupsOf(user, context.settings) }
}

/** The account page. @param done what was done just now. @throws StorageUnavailable */
export async function showOverview(
  context: AccountPageContext,
  actor: Actor,
  done: string | undefined,
): Promise<(view: View) => string> {
  const { settings } = context
  const read = await readOverview(context, actor)
  const change_password = settings.change_password_url ?? pathAt(settings, `${PATHS.account}/password`)
  const props = {
    ...actor,
    ...read,
    own_sid: actor.session.sid,
    scope_texts: settings.scope_texts,
    scope_claims: settings.scope_claims,
    done,
    has_passkeys: hasPasskeys(settings),
    has_second_step: settings.second_factor !== 'off',
    can_delete: settings.account_deletion === 'on' && !isOperator(actor.user),
    change_password,
    now: context.now(),
  }
  return (view) => overviewPage(props, view)
}

/** What is kept about a person, without anything that gives access. @throws StorageUnavailable */
export async function ownData(context: AccountPageContext, actor: Actor): Promise<object> {
  const { sessions, applications, factors } = await readOverview(context, actor)
  const { username, sub, claims, custom_claims } = actor.user
  const { totp, recovery, passkeys } = factors
  return {
    username,
    sub,
    claims: { ...claims, ...custom_claims },
    sessions: sessions.map(({ session }) => {
      const { started_at, last_used_at, browser, address, clients } = session
      return { started_at, last_used_at, browser, address, clients: [...clients] }
    }),
    applications,
    second_step: totp && { created_at: totp.created_at, recovery_codes: recovery?.digests.length ?? 0 },
    passkeys: [...passkeys.values()].map(({ name, created_at, last_used_at }) => ({
      name,
      created_at,
      last_used_at,
    })),
  }
}
