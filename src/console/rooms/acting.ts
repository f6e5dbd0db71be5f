import { html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { applicationName, personName } from '../called.ts'
import { actingTrees } from '../pages/acting.ts'
import { steps } from '../pages/consequence.ts'
import { panel } from '../pages/panel.ts'
import { applicationLink, at, code, older } from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage } from '../rows.ts'
import { applicationTabs } from './application-tabs.ts'
import { pathOfPerson, usernameOf } from './people.ts'

const NOBODY = html`<p class="empty">Nobody acts now: no live token was exchanged.</p>`

const forPerson: ConsolePage = {
  path: '/people/:username/acting',
  operation: 'list_acting_for_user',
  async show(desk, given) {
    const username = usernameOf(given)
    const { cursor } = given.query
    const [{ body }, name] = await Promise.all([
      desk.ask('list_acting_for_user', { params: { username }, query: { cursor } }),
      personName(desk, username),
    ])
    return {
      title: `Who acts for ${name}`,
      section: 'people',
      head: { path: pathOfPerson(username, 'Acting') },
      body: html`${panel({ title: 'Sign-ins in which others act' }, body.items.length === 0 ? NOBODY : actingTrees(desk, body.items))}
${older(desk, at`/people/${username}/acting`, {}, body.next)}`,
    }
  },
}

const fromApplication: ConsolePage = {
  path: '/applications/:client_id/acting',
  operation: 'list_acting_from_client',
  async show(desk, { params, query: { cursor } }) {
    const { client_id = '' } = params
    const [{ body }, name] = await Promise.all([
      desk.ask('list_acting_from_client', { params: { client_id }, query: { cursor } }),
      applicationName(desk, client_id),
    ])
    return {
      title: `Who acts by tokens of ${name}`,
      section: 'applications',
      body: html`${applicationTabs(desk, client_id, '/grants')}${panel({ title: 'Sign-ins in which others act' }, body.items.length === 0 ? NOBODY : actingTrees(desk, body.items))}
${older(desk, at`/applications/${client_id}/acting`, {}, body.next)}`,
    }
  },
}

const signIn: ConsolePage = {
  path: '/sign-ins/:grant',
  operation: 'read_grant',
  async show(desk, { params: { grant = '' } }) {
    const { body } = await desk.ask('read_grant', { params: { grant } })
    return {
      title: 'A sign-in, and who acts by it',
      section: 'explain',
      body: panel(
        { title: 'Sign-in' },
        html`${actingTrees(desk, [body])}${body.acting.length === 0 ? NOBODY : ''}`,
      ),
    }
  },
}

export const ACTING_PAGES: readonly ConsolePage[] = [forPerson, fromApplication, signIn]

export const ACTING_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    section: 'explain',
    back: '/sign-ins/:grant',
    path: '/sign-ins/:grant/acting/:client_id/end',
    operation: 'end_acting_in_grant',
    title: () => 'End that this application acts?',
    top: (desk, { params: { client_id = '', grant = '' } }) =>
      steps([
        {
          kind: 'ends',
          says: html`What ${applicationLink(desk, client_id)} does for others in the sign-in ${code(grant)} ends, with all that was called by it.`,
        },
        { kind: 'next', says: 'It gets no further token of this sign-in by exchange.' },
        { kind: 'stays', says: 'The sign-in stays, and others that act by it. A new sign-in begins anew.' },
      ]),
    verb: 'End it',
    done: 'acting_ended',
    count: ({ ended }) => ended,
  }),
]
