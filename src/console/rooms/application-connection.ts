import type { ConnectionTrailBody } from '../../admin/explanations.ts'
import { html } from '../../pages/html.ts'
import { applicationName } from '../called.ts'
import type { Desk } from '../desk.ts'
import { type Step, steps } from '../pages/consequence.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { code, link, personLink, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { applicationTabs } from './application-tabs.ts'

type Shown = ConnectionTrailBody['steps'][number]

const REFUSED = ['refused', 'api_refused']

const connection: ConsolePage = {
  path: '/applications/:client_id/connection',
  operation: 'explain_connection',
  async show(desk, { params: { client_id = '' } }) {
    const [{ body }, name] = await Promise.all([
      desk.ask('explain_connection', { query: { client_id } }),
      applicationName(desk, client_id),
    ])
    const { to_act, sentence } = body
    const off = body.steps.length === 0 ? desk.off('explain_connection') : undefined
    return {
      title: `How far ${name} came`,
      section: 'applications',
      head: {
        path: [['Applications', '/applications'], [client_id]],
        lead: 'What it did last until it was connected, and which side is to act.',
      },
      body: html`${desk.may('read_client') ? applicationTabs(desk, client_id, '/connection') : ''}${
        off === undefined
          ? html`${notice(to_act === 'nobody' ? 'good' : 'warn', text(sentence, sentence.length))}
${body.steps.length === 0 ? '' : panel({ title: 'The last steps' }, steps(body.steps.map((one) => stepOf(desk, one))))}`
          : html`<p>${off}</p>`
      }`,
    }
  },
}

function stepOf(desk: Desk, { step, at, sentence, username, grant, request }: Shown): Step {
  const is_refused = REFUSED.includes(step)
  return {
    kind: is_refused ? 'stops' : 'stays',
    says: html`${text(sentence, sentence.length)}<br><small class="quiet">${when(at, desk)}${username === undefined ? '' : html` · ${personLink(desk, username)}`}${grant === undefined ? '' : html` · grant ${code(grant)}`}${request === undefined ? '' : html` · ${link(desk, `/explain?${new URLSearchParams({ id: request }).toString()}`, 'Why')}`}</small>`,
  }
}

/** How far an application came. */
export const APPLICATION_CONNECTION_PAGES: readonly ConsolePage[] = [connection]
