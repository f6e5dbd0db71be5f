import type { AnswerOf } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { initialsOf } from '../../pages/text.ts'
import type { Desk } from '../desk.ts'
import { actingTrees, mayAct } from '../pages/acting.ts'
import { act } from '../pages/actions.ts'
import { panel, rows } from '../pages/panel.ts'
import { applicationLink, at, atLeast, badge, link, short, text, when } from '../pages/parts.ts'

/** So many of each are on the page of a person; a page of their own has all. */
const SHOWN = '5'

/** Where a person is signed in, and which applications have access. */
export interface PersonAccess {
  readonly sessions: AnswerOf<'list_sessions'>['items']
  readonly more_sessions: string | undefined
  readonly grants: AnswerOf<'list_grants_of_user'>['items']
  readonly more_grants: string | undefined
  /** The sign-ins in which others act for the person. */
  readonly acting: AnswerOf<'list_acting_for_user'>['items']
}

/** Asks for the newest of both. @throws AdminError; StorageUnavailable */
export async function askAccess(desk: Desk, username: string): Promise<PersonAccess> {
  const asked = { params: { username }, query: { limit: SHOWN } }
  const [{ body: sessions }, { body: grants }] = await Promise.all([
    desk.ask('list_sessions', asked),
    desk.ask('list_grants_of_user', asked),
  ])
  const is_acted_for = mayAct(grants.items, desk.now)
  const acting = is_acted_for ? (await desk.ask('list_acting_for_user', asked)).body.items : []
  return {
    acting,
    ...{ sessions: sessions.items, more_sessions: sessions.next },
    ...{ grants: grants.items, more_grants: grants.next },
  }
}

const MOBILE = /iPhone|iPad|Android/

/** The picture of a browser. */
const browserIcon = (browser = ''): Html => icon(MOBILE.test(browser) ? 'phone' : 'browser')

const all = (desk: Desk, path: string, next: string | undefined): Html | '' =>
  next === undefined ? '' : link(desk, path, 'All of them')

/** Where a person is signed in. */
export function sessionPanel(desk: Desk, username: string, { sessions, more_sessions }: PersonAccess): Html {
  const end_all = {
    path: at`/people/${username}/end-sessions`,
    label: 'Sign out everywhere',
    operation: 'end_sessions',
  } as const
  if (sessions.length === 0) return panel({ title: 'Signed in now' }, html`<p class="empty">Nowhere.</p>`)
  const shown = sessions.map(({ sid, browser, address, started_at, last_used_at, clients }) => {
    const name = browser ?? 'An unknown browser'
    return {
      mark: browserIcon(browser),
      name: short(name),
      detail: html`${address === undefined ? '' : html`${text(address)}, `}used ${when(last_used_at ?? started_at, desk)}${clients.length === 0 ? '' : html`: ${text(clients.join(', '))}`}`,
      action: act(desk, {
        path: at`/people/${username}/sessions/${sid}/end`,
        label: 'End',
        operation: 'end_session',
        says: `End the session in ${name}`,
      }),
    }
  })
  const around = {
    title: 'Signed in now',
    count: atLeast(sessions, more_sessions),
    action: act(desk, end_all),
    foot: all(desk, at`/people/${username}/sessions`, more_sessions),
  }
  return panel(around, rows(shown))
}

/** The applications that have access for a person. */
export function accessPanel(desk: Desk, username: string, { grants, more_grants }: PersonAccess): Html {
  const title = 'Applications with access'
  if (grants.length === 0) return panel({ title }, html`<p class="empty">None.</p>`)
  const shown = grants.map(({ grant, client_id, started_at, last_used_at, acted_by, expires_at }) => ({
    mark: html`<span class="app" aria-hidden="true">${initialsOf(client_id)}</span>`,
    name: applicationLink(desk, client_id),
    ...(acted_by !== undefined && { state: badge('an operator acts', 'warn') }),
    detail:
      acted_by !== undefined
        ? html`by ${text(acted_by)}, until ${when(expires_at, desk)}`
        : html`since ${when(started_at, desk)}, used ${when(last_used_at ?? started_at, desk)}`,
    action: act(desk, {
      path: at`/people/${username}/grants/${grant}/end`,
      label: 'Remove access',
      operation: 'end_grant_of_user',
      says: `Remove the access of ${client_id}`,
    }),
  }))
  const around = {
    title,
    count: atLeast(grants, more_grants),
    foot: all(desk, at`/people/${username}/applications`, more_grants),
  }
  return panel(around, rows(shown))
}

/** Who acts for a person by tokens that were exchanged; empty: nobody. */
export function actingPanel(desk: Desk, username: string, { acting }: PersonAccess): Html | '' {
  if (acting.length === 0) return ''
  const foot = link(desk, at`/people/${username}/acting`, 'All of them')
  return panel({ title: 'Acting for the person', foot }, actingTrees(desk, acting))
}
