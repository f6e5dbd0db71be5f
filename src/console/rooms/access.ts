import { html } from '../../pages/html.ts'
import { personName } from '../called.ts'
import { allowedText } from '../pages/detail-chips.ts'
import { howText } from '../pages/how.ts'
import { applicationLink, at, code, link, offers, older, short, table, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { pathOfPerson, usernameOf } from './people.ts'

const sessions: ConsolePage = {
  path: '/people/:username/sessions',
  operation: 'list_sessions',
  async show(desk, given) {
    const username = usernameOf(given)
    const { cursor } = given.query
    const [{ body }, name] = await Promise.all([
      desk.ask('list_sessions', { params: { username }, query: { cursor } }),
      personName(desk, username),
    ])
    const rows = body.items.map(({ sid, browser, address, started_at, last_used_at, amr, clients }) => [
      short(browser ?? 'an unknown browser'),
      code(address ?? ''),
      when(started_at, desk),
      when(last_used_at ?? started_at, desk),
      howText(amr),
      html`${text(clients.join(', '))}`,
      desk.may('end_session') ? link(desk, at`/people/${username}/sessions/${sid}/end`, 'End') : '',
    ])
    const path = at`/people/${username}/sessions`
    return {
      title: `Where ${name} is signed in`,
      section: 'people',
      head: { path: pathOfPerson(username, 'Sessions') },
      body: html`${table(
        'Sessions, the newest first',
        [
          'Browser',
          'Address',
          'Started',
          'Last used',
          'How',
          'Applications',
          { label: 'Action', is_silent: true },
        ],
        rows,
        'Signed in nowhere.',
      )}
${older(desk, path, {}, body.next)}
${offers(desk, [{ label: 'End all sessions', path: at`/people/${username}/end-sessions`, operation: 'end_sessions' }], 'redmint:users:write')}`,
    }
  },
}

const applications: ConsolePage = {
  path: '/people/:username/applications',
  operation: 'list_grants_of_user',
  async show(desk, given) {
    const username = usernameOf(given)
    const { cursor } = given.query
    const [{ body }, name] = await Promise.all([
      desk.ask('list_grants_of_user', { params: { username }, query: { cursor } }),
      personName(desk, username),
    ])
    const rows = body.items.map(
      ({ grant, client_id, scope, authorization_details, started_at, last_used_at }) => [
        applicationLink(desk, client_id),
        allowedText(scope, authorization_details),
        when(started_at, desk),
        when(last_used_at ?? started_at, desk),
        desk.may('end_grant_of_user') ? link(desk, at`/people/${username}/grants/${grant}/end`, 'End') : '',
      ],
    )
    return {
      title: `Applications of ${name}`,
      section: 'people',
      head: { path: pathOfPerson(username, 'Applications') },
      body: html`${table(
        'Sign-ins of applications, with their tokens',
        ['Application', 'Scope', 'Since', 'Last used', { label: 'Action', is_silent: true }],
        rows,
        'No application has access.',
      )}
${older(desk, at`/people/${username}/applications`, {}, body.next)}
${offers(desk, [{ label: 'End all', path: at`/people/${username}/end-grants`, operation: 'end_grants_of_user' }], 'redmint:users:write')}`,
    }
  },
}

const consents: ConsolePage = {
  path: '/people/:username/consents',
  operation: 'list_consents',
  async show(desk, given) {
    const username = usernameOf(given)
    const { cursor } = given.query
    const [{ body }, name] = await Promise.all([
      desk.ask('list_consents', { params: { username }, query: { cursor } }),
      personName(desk, username),
    ])
    const rows = body.items.map(({ client_id, scope, authorization_details, given_at }) => [
      applicationLink(desk, client_id),
      allowedText(scope, authorization_details),
      when(given_at, desk),
      desk.may('withdraw_consent')
        ? link(desk, at`/people/${username}/consents/${client_id}/withdraw`, 'Forget it')
        : '',
    ])
    return {
      title: `What ${name} allowed applications`,
      section: 'people',
      head: { path: pathOfPerson(username, 'Consents') },
      body: html`${table(
        'Consents: who gave one is not asked again',
        ['Application', 'Scope', 'Since', { label: 'Action', is_silent: true }],
        rows,
        'No application is allowed anything for good.',
      )}
${older(desk, at`/people/${username}/consents`, {}, body.next)}
${offers(desk, [{ label: 'Forget all', path: at`/people/${username}/withdraw-consents`, operation: 'withdraw_consents' }], 'redmint:users:write')}`,
    }
  },
}

export const ACCESS_PAGES: readonly ConsolePage[] = [sessions, applications, consents]
