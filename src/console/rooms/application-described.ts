import { AdminError } from '../../admin/operation/problem.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { dangerZone, mayOnlySee } from '../pages/actions.ts'
import { panel } from '../pages/panel.ts'
import { at, atLeast, code, facts, link } from '../pages/parts.ts'
import type { ConsolePage, ShownPage } from '../rows.ts'

/** Returns the page of an application which also shows one that a document describes, and that has no record. */
export const orDescribed = (page: ConsolePage): ConsolePage => ({
  ...page,
  async show(desk, given) {
    try {
      return await page.show(desk, given)
    } catch (error) {
      const { client_id = '' } = given.params
      if (!(error instanceof AdminError && error.code === 'not_found' && isClientIdUrl(client_id)))
        throw error
      return described(desk, client_id)
    }
  },
})

/** @throws AdminError `not_found` if no document may describe it, and nobody has signed in to it */
async function described(desk: Desk, client_id: string): Promise<ShownPage> {
  const asked = { params: { client_id }, query: { limit: '20' } }
  const { body } = await desk.ask('list_grants_of_client', asked)
  const page = at`/applications/${client_id}`
  const query = new URLSearchParams({ client_id }).toString()
  return {
    title: client_id,
    section: 'applications',
    head: {
      path: [['Applications', '/applications'], [client_id]],
      lead: 'It describes itself by a document at this address, so its settings are not here.',
    },
    body: html`${panel(
      { title: 'Facts' },
      facts([
        ['Client id', code(client_id)],
        ['People with access', link(desk, `${page}/grants`, atLeast(body.items, body.next))],
        ...(desk.may('explain_connection')
          ? [['Connection', link(desk, `${page}/connection`, 'How far it came')] as const]
          : []),
        ...(desk.may('list_explanations')
          ? [['Refusals', link(desk, `/explain?${query}`, 'Those of this application')] as const]
          : []),
        ...(desk.may('list_events')
          ? [['Events', link(desk, `/events?${query}`, 'Those of this application')] as const]
          : []),
      ]),
    )}
${mayOnlySee(desk, ['disable_client'], 'redmint:clients:write')}${dangerZone(desk, [
  {
    path: `${page}/end-grants`,
    label: 'End all sign-ins',
    operation: 'end_grants_of_client',
    does: 'People sign in to it again.',
  },
  {
    path: `${page}/disable`,
    label: 'Disable',
    operation: 'disable_client',
    does: 'Nobody can sign in to it, whatever its document says, until it is enabled again.',
  },
])}`,
  }
}
