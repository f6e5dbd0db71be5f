import { AdminError } from '../../admin/operation/problem.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { type Html, html } from '../../pages/html.ts'
import { actionOf, lastOf } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { choice } from '../pages/fields.ts'
import { at, atLeast, code, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import { EDIT_APPLICATION } from './edit-application.ts'

const ONE = '/applications/:client_id'
const OF_APPLICATION = { section: 'applications', back: ONE } as const

/** How many sign-ins an application has, as far as that is counted. */
async function grantsOf(desk: Desk, { params }: ConsoleRequest): Promise<string> {
  const asked = { params: paramsOf('list_grants_of_client', params), query: { limit: '20' } }
  const { body } = await desk.ask('list_grants_of_client', asked)
  return atLeast(body.items, body.next)
}

/** What a client has that will be disabled; one that a document describes is known only by its id before that. */
async function heldBy(desk: Desk, given: ConsoleRequest): Promise<Html | ''> {
  try {
    return html` Sign-ins that it has now: ${await grantsOf(desk, given)}. They come back if it is enabled again before they expire.`
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found' && isClientIdUrl(lastOf(given))) return ''
    throw error
  }
}

const DAY = 86_400

export const APPLICATION_ACTIONS: readonly ConsoleAction[] = [
  EDIT_APPLICATION,
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/disable`,
    operation: 'disable_client',
    title: (_desk, given) => `Disable ${lastOf(given)}?`,
    lead: async (desk, given) =>
      html`<p>Nobody can sign in by it, it cannot authenticate, and its tokens are refused within a second.${await heldBy(desk, given)}</p>`,
    verb: 'Disable',
    is_danger: true,
    done: 'application_disabled',
    undo: `${ONE}/enable`,
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/enable`,
    operation: 'enable_client',
    title: (_desk, given) => `Enable ${lastOf(given)}?`,
    lead: () => html`<p>It works again, with those of its tokens that have not expired.</p>`,
    verb: 'Enable',
    done: 'application_enabled',
    undo: `${ONE}/disable`,
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/remove`,
    operation: 'delete_client',
    title: (_desk, given) => `Remove ${lastOf(given)}?`,
    lead: async (desk, given) =>
      html`<p>The application is removed for good. Sign-ins that end with their tokens: ${await grantsOf(desk, given)}.</p>`,
    typed: { what: 'client id', read: 'read_client' },
    verb: 'Remove',
    is_danger: true,
    to: '/applications',
    done: 'application_removed',
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/secret`,
    operation: 'rotate_client_secret',
    title: (_desk, given) => `Make a new secret for ${lastOf(given)}?`,
    lead: () =>
      html`<p>The new secret is shown once. Keep the old one for a while, so that the application can be changed without a break.</p>`,
    fields: () =>
      choice({ name: 'keep', label: 'The old secret', value: String(DAY) }, [
        [String(DAY), 'stays valid for a day'],
        [String(7 * DAY), 'stays valid for seven days'],
        ['0', 'ends at once'],
      ]),
    verb: 'Make a new secret',
    asks: ({ form }) => ({ body: { keep_old_for: Number(form.keep ?? 0) } }),
    shows: (desk, given, { client_secret = '', old_secret_ends_at }) => ({
      title: 'The new secret',
      body: html`<p>It is shown now, and never again. ${old_secret_ends_at === undefined ? 'The old one ended.' : html`The old one ends ${when(old_secret_ends_at, desk)}.`}</p>
<pre tabindex="0">${text(client_secret)}</pre>
<p><a class="button" href="${desk.base}${at`/applications/${lastOf(given)}`}">Back to ${code(lastOf(given))}</a></p>`,
    }),
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/end-old-secret`,
    operation: 'end_old_client_secret',
    title: (_desk, given) => `End the old secret of ${lastOf(given)}?`,
    async lead(desk, { params }) {
      const { body } = await desk.ask('read_client', { params: paramsOf('read_client', params) })
      return html`<p>It was last used: ${when(body.old_secret_used_at, desk)}. An application that still has it cannot authenticate any more.</p>`
    },
    verb: 'End the old secret',
    is_danger: true,
    done: 'old_secret_ended',
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/end-grants`,
    operation: 'end_grants_of_client',
    title: (_desk, given) => `End all sign-ins of ${lastOf(given)}?`,
    lead: async (desk, given) =>
      html`<p>Sign-ins that end with their tokens: ${await grantsOf(desk, given)}. People can sign in again.</p>`,
    verb: 'End all',
    is_danger: true,
    done: 'grants_ended',
    count: ({ ended }) => ended,
  }),
]
