import type { GrantAnswer } from '../../admin/access/grants.ts'
import type { AccessPage, EndedCount } from '../../admin/access/page.ts'
import type { RotatedAnswer } from '../../admin/clients/secret-operations.ts'
import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { editAction } from '../edit.ts'
import { mistyped } from '../mistyped.ts'
import { choice, hidden, line } from '../pages/fields.ts'
import { at, atLeast, code, text } from '../pages/parts.ts'
import type { ConsoleAction, Given, Question } from '../rows.ts'

const idOf = ({ params }: Given) => params.client_id ?? ''
const back = (given: Given) => at`/applications/${idOf(given)}`
const question = (
  given: Given,
  asked: Pick<Question, 'title' | 'lead' | 'verb'> & Partial<Question>,
): Question => ({ section: 'applications', back: back(given), ...asked })

/** How many sign-ins an application has, as far as that is counted. */
async function grantsOf(desk: Desk, { params }: Given): Promise<string> {
  const asked = { params, query: { limit: '20' } }
  const { body } = await desk.ask<AccessPage<GrantAnswer>>('list_grants_of_client', asked)
  return atLeast(body.items, body.next)
}

const edit = editAction({
  section: 'applications',
  noun: 'application',
  path: '/applications/:client_id',
  read: 'read_client',
  change: 'change_client',
  first: [
    ...['client_name', 'redirect_uris', 'post_logout_redirect_uris', 'allowed_scopes', 'grant_types'],
    ...['allowed_groups', 'required_acr', 'access_token_ttl', 'refresh_tokens', 'client_uri'],
  ],
})

const disable: ConsoleAction = {
  path: '/applications/:client_id/disable',
  operation: 'disable_client',
  async ask(desk, given) {
    return question(given, {
      title: `Disable ${idOf(given)}?`,
      lead: html`<p>Nobody can sign in by it, it cannot authenticate, and its tokens are refused within a second. Sign-ins that it has now: ${await grantsOf(desk, given)}. They come back if it is enabled again before they expire.</p>`,
      verb: 'Disable',
      is_danger: true,
    })
  },
  async act(desk, given) {
    await desk.ask('disable_client', { params: given.params })
    return { to: back(given), done: 'application_disabled' }
  },
}

const enable: ConsoleAction = {
  path: '/applications/:client_id/enable',
  operation: 'enable_client',
  ask: async (_desk, given) =>
    question(given, {
      title: `Enable ${idOf(given)}?`,
      lead: html`<p>It works again, with those of its tokens that have not expired.</p>`,
      verb: 'Enable',
    }),
  async act(desk, given) {
    await desk.ask('enable_client', { params: given.params })
    return { to: back(given), done: 'application_enabled' }
  },
}

const remove: ConsoleAction = {
  path: '/applications/:client_id/remove',
  operation: 'delete_client',
  async ask(desk, given) {
    const [grants, { version }] = await Promise.all([
      grantsOf(desk, given),
      desk.ask('read_client', { params: given.params }),
    ])
    return question(given, {
      title: `Remove ${idOf(given)}?`,
      lead: html`<p>The application is removed for good. Sign-ins that end with their tokens: ${grants}.</p>`,
      fields: html`${hidden('version', version)}${line({ name: 'typed', label: 'Type the client id', hint: 'So that nothing is removed by mistake', required: true })}`,
      verb: 'Remove',
      is_danger: true,
    })
  },
  async act(desk, given) {
    const { typed, version } = given.form
    if (typed !== idOf(given)) throw mistyped('client id')
    await desk.ask('delete_client', { params: given.params, version })
    return { to: '/applications', done: 'application_removed' }
  },
}

const DAY = 86_400

const rotate: ConsoleAction = {
  path: '/applications/:client_id/secret',
  operation: 'rotate_client_secret',
  ask: async (_desk, given) =>
    question(given, {
      title: `Make a new secret for ${idOf(given)}?`,
      lead: html`<p>The new secret is shown once. Keep the old one for a while, so that the application can be changed without a break.</p>`,
      fields: choice({ name: 'keep', label: 'The old secret', value: String(DAY) }, [
        [String(DAY), 'stays valid for a day'],
        [String(7 * DAY), 'stays valid for seven days'],
        ['0', 'ends at once'],
      ]),
      verb: 'Make a new secret',
    }),
  async act(desk, given) {
    const keep_old_for = Number(given.form.keep ?? 0)
    const asked = { params: given.params, body: { keep_old_for } }
    const { body } = await desk.ask<RotatedAnswer>('rotate_client_secret', asked)
    const { client_secret = '', old_secret_ends_at } = body
    return {
      title: 'The new secret',
      section: 'applications',
      body: html`<p>It is shown now, and never again. ${old_secret_ends_at === undefined ? 'The old one ended.' : html`The old one ends at ${old_secret_ends_at}.`}</p>
<pre tabindex="0">${text(client_secret)}</pre>
<p><a class="button" href="${desk.base}${back(given)}">Back to ${code(idOf(given))}</a></p>`,
    }
  },
}

const endOld: ConsoleAction = {
  path: '/applications/:client_id/end-old-secret',
  operation: 'end_old_client_secret',
  async ask(desk, given) {
    const { body } = await desk.ask<{ old_secret_used_at?: string }>('read_client', { params: given.params })
    return question(given, {
      title: `End the old secret of ${idOf(given)}?`,
      lead: html`<p>It was last used: ${body.old_secret_used_at ?? 'never, as far as is known'}. An application that still has it cannot authenticate any more.</p>`,
      verb: 'End the old secret',
      is_danger: true,
    })
  },
  async act(desk, given) {
    await desk.ask('end_old_client_secret', { params: given.params })
    return { to: back(given), done: 'old_secret_ended' }
  },
}

const endGrants: ConsoleAction = {
  path: '/applications/:client_id/end-grants',
  operation: 'end_grants_of_client',
  async ask(desk, given) {
    return question(given, {
      title: `End all sign-ins of ${idOf(given)}?`,
      lead: html`<p>Sign-ins that end with their tokens: ${await grantsOf(desk, given)}. People can sign in again.</p>`,
      verb: 'End all',
      is_danger: true,
    })
  },
  async act(desk, given) {
    const { body } = await desk.ask<EndedCount>('end_grants_of_client', { params: given.params })
    return { to: back(given), done: 'grants_ended', count: body.ended }
  },
}

export const APPLICATION_ACTIONS: readonly ConsoleAction[] = [
  ...[edit, disable, enable, remove, rotate, endOld, endGrants],
]
