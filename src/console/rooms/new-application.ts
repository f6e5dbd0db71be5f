import type { Preset } from '../../admin/connect/preset.ts'
import { fieldsOfPreset } from '../../admin/connect/preset-fields.ts'
import { PRESET_NAMES, PRESETS, type PresetName, SIGN_IN_SCOPES } from '../../admin/connect/presets.ts'
import { originIn } from '../../admin/connect/settings.ts'
import { invalidField } from '../../admin/operation/problem.ts'
import { type Html, html } from '../../pages/html.ts'
import { choice, line, lines } from '../pages/fields.ts'
import { at, code, text } from '../pages/parts.ts'
import { lineEnds } from '../record-form.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import { settingsFor } from './application-access.ts'
import { signsPeopleIn } from './try-sign-in.ts'

/** What an application is, in the words of people, and the fields that follow from it. */
const KINDS = {
  web: { label: 'A web application with a server', signs_in: true, fields: { is_public: false } },
  single_page: {
    label: 'A single-page application, without a server',
    signs_in: true,
    fields: { is_public: true },
  },
  mobile: {
    label: 'An app for phones or desktops',
    signs_in: true,
    fields: { is_public: true, application_type: 'native' },
  },
  machine: {
    label: 'A machine: a job or a service without people',
    signs_in: false,
    fields: { is_public: false, grant_types: ['client_credentials'] },
  },
} as const

type KindName = keyof typeof KINDS

const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/** The frameworks that are kinds of their own in the list; the others follow by their names. */
const FIRST: readonly PresetName[] = ['mcp', 'device']

const CHOICES: readonly (readonly [string, string])[] = [
  ...Object.entries(KINDS).map(([name, { label }]) => [name, label] as const),
  ['mcp', 'An MCP client: a program of an assistant'],
  ['device', 'A device without a keyboard, such as a television'],
  ...PRESET_NAMES.filter((name) => ![...FIRST, 'machine'].includes(name)).map(
    (name) => [name, `By name: ${PRESETS[name].title}`] as const,
  ),
]

const entriesOf = (typed = '') =>
  lineEnds(typed)
    .split(/[\s]+/)
    .filter((entry) => entry !== '')

/** Returns the record that a form asks for, and the framework whose settings follow; undefined: none. */
function wanted(form: ConsoleRequest['form']): {
  fields: Record<string, unknown>
  preset: PresetName | undefined
} {
  const { kind = 'web', origin: address = '' } = form
  const redirect_uris = entriesOf(form.redirect_uris)
  const scopes = entriesOf(form.allowed_scopes)
  const own = redirect_uris.length > 0 ? { redirect_uris } : {}
  if (isKind(kind)) {
    const { fields, signs_in } = KINDS[kind]
    // Without one it would be a machine.
    if (signs_in && redirect_uris.length === 0)
      throw invalidField(
        'redirect_uris',
        'Say where people come back to after the sign-in: type a redirect URI, such as https://app.example.com/callback.',
      )
    const allowed_scopes = signs_in && scopes.length === 0 ? SIGN_IN_SCOPES : scopes
    return { fields: { ...fields, ...own, allowed_scopes }, preset: undefined }
  }
  const preset = PRESET_NAMES.find((name) => name === kind)
  if (preset === undefined) throw invalidField('kind', 'Choose what it is from the list.')
  const { needs } = PRESETS[preset] as Preset
  const origin = address === '' ? undefined : originIn(address)
  if (address !== '' && origin === undefined)
    throw invalidField('origin', 'Type its address without a path, such as https://app.example.com.')
  if (needs === 'origin' && origin === undefined && redirect_uris.length === 0)
    throw invalidField(
      'origin',
      'Say where it is, such as https://app.example.com: its redirect URI follows.',
    )
  const allowed_scopes = scopes.length > 0 ? scopes : undefined
  return { fields: { ...fieldsOfPreset(preset, { origin, allowed_scopes }), ...own }, preset }
}

/** Asks what an application is, and registers it. Its secret is shown once. */
const create: ConsoleAction = {
  path: '/applications/new',
  operation: 'create_client',
  ask: async (_desk, { form }) => ({
    title: 'New application',
    section: 'applications',
    lead: html`<p>Say what it is: the rest follows, and can be changed later.</p>`,
    fields: html`${choice({ name: 'kind', label: 'What it is', value: form.kind ?? 'web' }, CHOICES)}${line({ name: 'client_id', label: 'Client id', value: form.client_id, hint: 'It never changes. Letters, digits and dashes read best', required: true })}${line({ name: 'client_name', label: 'Name', value: form.client_name, hint: 'People see it when they sign in' })}${line({ name: 'origin', label: 'Its address', value: form.origin, hint: 'For what is chosen by name, such as https://app.example.com: its redirect URI follows' })}${lines({ name: 'redirect_uris', label: 'Redirect URIs', value: form.redirect_uris, hint: 'One in each line; a machine and a device have none, and by name they follow' })}${line({ name: 'allowed_scopes', label: 'Scopes', value: form.allowed_scopes, hint: `Separated by spaces; empty: ${SIGN_IN_SCOPES.join(' ')}, none for a machine, and by name they follow` })}`,
    verb: 'Register',
    back: '/applications',
  }),
  async act(desk, { form }) {
    const { client_id = '', client_name = '' } = form
    const { fields, preset } = wanted(form)
    const body = { client_id, ...fields, ...(client_name !== '' && { client_name }) }
    const { body: created } = await desk.ask('create_client', {
      body,
    })
    const page = at`/applications/${client_id}`
    const settings = preset && (await settingsFor(desk, client_id, preset))
    return {
      title: 'The application is registered',
      section: 'applications',
      body: html`${created.client_secret === undefined ? html`<p>${code(client_id)} has no secret.</p>` : secretOnce(client_id, created.client_secret)}
${settings ?? html`<p><a class="button" href="${desk.base}${page}/settings">Settings to paste</a></p>`}
${signsPeopleIn(created) ? html`<p><a class="button" href="${desk.base}${page}/try">Try the sign-in</a></p>` : ''}
<p><a class="button" href="${desk.base}${page}">To the application</a></p>`,
    }
  },
}

const secretOnce = (client_id: string, secret: string): Html =>
  html`<p>This is the secret of ${code(client_id)}. It is shown now, and never again.</p>
<pre tabindex="0">${text(secret)}</pre>`

export const NEW_APPLICATION: readonly ConsoleAction[] = [create]
