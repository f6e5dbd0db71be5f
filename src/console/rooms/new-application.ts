import { html } from '../../pages/html.ts'
import { choice, line, lines } from '../pages/fields.ts'
import { at, code, text } from '../pages/parts.ts'
import { lineEnds } from '../record-form.ts'
import type { ConsoleAction } from '../rows.ts'

/** What an application is, in the words of people, and the fields that follow from it. */
const KINDS = {
  web: { label: 'A web application with a server', fields: { is_public: false } },
  single_page: { label: 'A single-page application, without a server', fields: { is_public: true } },
  mobile: {
    label: 'An app for phones or desktops',
    fields: { is_public: true, application_type: 'native' },
  },
  machine: {
    label: 'A machine: a job or a service without people',
    fields: { is_public: false, grant_types: ['client_credentials'] },
  },
  device: {
    label: 'A device without a keyboard, such as a television',
    fields: {
      is_public: true,
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      refresh_tokens: 'always',
    },
  },
} as const

type KindName = keyof typeof KINDS

const isKind = (name: string | undefined): name is KindName =>
  name !== undefined && Object.hasOwn(KINDS, name)

const entriesOf = (typed = '') =>
  lineEnds(typed)
    .split(/[\s]+/)
    .filter((entry) => entry !== '')

/** Asks what an application is, and registers it. Its secret is shown once. */
const create: ConsoleAction = {
  path: '/applications/new',
  operation: 'create_client',
  ask: async (_desk, { form }) => ({
    title: 'New application',
    section: 'applications',
    lead: html`<p>Say what it is: the rest follows, and can be changed later.</p>`,
    fields: html`${choice(
      { name: 'kind', label: 'What it is', value: form.kind ?? 'web' },
      Object.entries(KINDS).map(([name, { label }]) => [name, label]),
    )}${line({ name: 'client_id', label: 'Client id', value: form.client_id, hint: 'It never changes. Letters, digits and dashes read best', required: true })}${line({ name: 'client_name', label: 'Name', value: form.client_name, hint: 'People see it when they sign in' })}${lines({ name: 'redirect_uris', label: 'Redirect URIs', value: form.redirect_uris, hint: 'One in each line; a machine and a device have none' })}${line({ name: 'allowed_scopes', label: 'Scopes', value: form.allowed_scopes ?? 'openid profile email', hint: 'Separated by spaces' })}`,
    verb: 'Register',
    back: '/applications',
  }),
  async act(desk, { form }) {
    const { client_id = '', client_name = '' } = form
    const kind = isKind(form.kind) ? form.kind : 'web'
    const redirect_uris = entriesOf(form.redirect_uris)
    const body = {
      client_id,
      ...KINDS[kind].fields,
      ...(client_name !== '' && { client_name }),
      ...(redirect_uris.length > 0 && { redirect_uris }),
      allowed_scopes: entriesOf(form.allowed_scopes),
    }
    const { body: created } = await desk.ask<{ client_secret?: string }>('create_client', { body })
    const { client_secret } = created
    const page = at`/applications/${client_id}`
    if (client_secret === undefined) return { to: page, done: 'application_created' }
    return {
      title: 'The application is registered',
      section: 'applications',
      body: html`<p>This is the secret of ${code(client_id)}. It is shown now, and never again.</p>
<pre tabindex="0">${text(client_secret)}</pre>
<p><a class="button" href="${desk.base}${page}/settings">Settings to paste</a></p>
<p><a class="button" href="${desk.base}${page}">To the application</a></p>`,
    }
  },
}

export const NEW_APPLICATION: readonly ConsoleAction[] = [create]
