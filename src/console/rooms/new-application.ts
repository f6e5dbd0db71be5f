import type { Preset, SettingsFile } from '../../admin/connect/preset.ts'
import { fieldsOfPreset, withActing } from '../../admin/connect/preset-fields.ts'
import { PRESETS, SIGN_IN_SCOPES } from '../../admin/connect/presets.ts'
import { originIn, settingsOf } from '../../admin/connect/settings.ts'
import { AdminError, invalidField } from '../../admin/operation/problem.ts'
import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { chipList } from '../pages/chips.ts'
import { hidden, line, lines, more } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { at, code, facts, text } from '../pages/parts.ts'
import { lineEnds } from '../record-form.ts'
import type { ConsoleAction, ConsoleRequest, Question, ShownPage } from '../rows.ts'
import { settingsPanels } from './application-access.ts'
import { kindMark, kindOf, type ShownClient, scopeWords } from './application-kind.ts'
import { linesIn } from './known-groups.ts'
import { type ChosenKind, chosenOf, kindCards } from './new-application-kinds.ts'
import { signsPeopleIn } from './try-sign-in.ts'
import { isAsked, uriTester } from './uri-tester.ts'
import { countPeople, type PeopleCounts, type Who, whoCards } from './who-cards.ts'

const PATH = '/applications/new'

const entriesOf = (typed = '') =>
  lineEnds(typed)
    .split(/\s+/)
    .filter((entry) => entry !== '')

/** Returns what was chosen; undefined: nothing that there is. */
const chosenIn = ({ query, form }: ConsoleRequest): ChosenKind | undefined =>
  chosenOf(form.kind ?? query.for ?? '')

/** Returns the groups that may use it. @throws AdminError `invalid_field` if they are not what the card says */
function groupsIn({ who, allowed_groups }: ConsoleRequest['form']): { readonly allowed_groups?: string[] } {
  const groups = linesIn(allowed_groups)
  if (who === 'groups' && groups.length === 0)
    throw invalidField('allowed_groups', 'Choose the groups that may use it, or another card.')
  // Everybody would get in otherwise.
  if (who !== 'groups' && groups.length > 0)
    throw invalidField('who', 'You chose groups: choose the card of these groups, or take the groups out.')
  return who === 'groups' ? { allowed_groups: [...groups] } : {}
}

/** Returns the fields of the record that a form asks for. @throws AdminError `invalid_field` */
function wanted(chosen: ChosenKind, form: ConsoleRequest['form']): Record<string, unknown> {
  const redirect_uris = entriesOf(form.redirect_uris)
  const scopes = entriesOf(form.allowed_scopes)
  const own = {
    ...(redirect_uris.length > 0 && { redirect_uris }),
    ...(form.who === 'everybody' && { everybody: true }),
    ...(form.who === 'nobody' && { allowed_groups: [] }),
    ...groupsIn(form),
  }
  const { fields, preset } = chosen
  // Without one it would be a machine.
  if (preset === undefined && chosen.asks_redirects && redirect_uris.length === 0)
    throw invalidField(
      'redirect_uris',
      'Say where people come back to after the sign-in: type a redirect URI, such as https://app.example.com/callback.',
    )
  if (preset === undefined) {
    const allowed_scopes = chosen.asks_redirects && scopes.length === 0 ? SIGN_IN_SCOPES : scopes
    return { ...fields, ...own, allowed_scopes }
  }
  const { origin: address = '' } = form
  const origin = address === '' ? undefined : originIn(address)
  if (address !== '' && origin === undefined)
    throw invalidField('origin', 'Type its address without a path, such as https://app.example.com.')
  const allowed_scopes = scopes.length > 0 ? scopes : undefined
  return { ...fieldsOfPreset(preset, { origin, redirect_uris, allowed_scopes }), ...own }
}

/** Asks what an application is, then for the fields that this needs, and registers it. Its secret is shown once. */
const create: ConsoleAction = {
  path: PATH,
  operation: 'create_client',
  async ask(desk, given) {
    const chosen = chosenIn(given)
    return chosen === undefined ? cards(desk) : fieldsFor(chosen, given.form, await countPeople(desk))
  },
  async act(desk, given) {
    const { form } = given
    const chosen = chosenIn(given)
    if (chosen === undefined) throw invalidField('kind', 'Choose what it is from the cards.')
    if (isAsked(form)) return { next: await create.ask(desk, given) }
    const { client_name = '' } = form
    const client_id = form.client_id || idFrom(client_name)
    const body = { client_id, ...wanted(chosen, form), ...(client_name !== '' && { client_name }) }
    // What cannot be pasted is refused before the secret is made, which is shown once.
    settingsFor(desk, chosen, { ...body, redirect_uris: [] }, form.origin)
    await nameAtApi(desk, chosen, body, form.origin)
    const { body: created } = await desk.ask('create_client', { body })
    return done(desk, created, settingsFor(desk, chosen, created, form.origin))
  },
}

/**
 * Lets a client that acts with the tokens of an API do so: the record of the API names it, and is made if there is none.
 * This comes first: what is refused here makes no secret, which is shown once.
 * @throws AdminError
 */
async function nameAtApi(
  desk: Desk,
  { preset }: ChosenKind,
  { client_id, allowed_scopes }: { readonly client_id: string; readonly allowed_scopes?: unknown },
  address = '',
): Promise<void> {
  const of_preset: Preset | undefined = preset && PRESETS[preset]
  const resource = originIn(address)
  if (!of_preset?.acts || resource === undefined) return
  const found = await desk.ask('read_resource', { params: { resource } }).catch((error: unknown) => {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  })
  const body = withActing(found?.body, client_id)
  if (found === undefined)
    await desk.ask('create_resource', {
      body: { resource, scopes: [...(allowed_scopes as string[])], ...body },
    })
  else await desk.ask('change_resource', { params: { resource }, body, version: found.version })
}

/** Returns a client id made from a name: words of letters and digits, with dashes. */
const idFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

const cards = (desk: Desk): Question => ({
  title: 'New application',
  section: 'applications',
  head: { path: [['Applications', '/applications'], ['New']] },
  lead: html`<p class="lead">Say what it is: its settings follow, and can be changed later.</p>`,
  ways: kindCards(desk.base + PATH),
  verb: 'Add application',
  back: '/applications',
})

function fieldsFor(chosen: ChosenKind, form: ConsoleRequest['form'], counts: PeopleCounts): Question {
  const { label, mark, redirect_path } = chosen
  const follows =
    redirect_path === undefined ? undefined : `Its redirect URI follows: where it runs, and ${redirect_path}`
  const tester = uriTester(redirectsOf(chosen, form), chosen.fields?.application_type, form)
  const redirects = html`${lines({
    name: 'redirect_uris',
    label: chosen.asks_redirects ? 'Redirect URIs' : 'Other redirect URIs',
    value: form.redirect_uris,
    hint: 'Where people come back to after the sign-in: one in each line, compared character by character',
  })}${tester}`
  const scopes = line({
    name: 'allowed_scopes',
    label: 'Scopes',
    value: form.allowed_scopes,
    hint: chosen.asks_scopes
      ? 'What its tokens may be for, separated by spaces, such as orders:read'
      : 'Separated by spaces; empty: as beside',
  })
  const chosen_by = { who: whoIn(form), groups: linesIn(form.allowed_groups) }
  const who =
    chosen.name === 'machine' ? '' : whoCards('Who may use it', counts, chosen_by, 'Everybody, for now')
  const folded = html`${chosen.asks_redirects ? '' : redirects}${chosen.asks_scopes ? '' : scopes}`
  return {
    title: `New application: ${label}`,
    section: 'applications',
    head: { path: [['Applications', '/applications'], ['New', PATH], [label]], mark, lead: 'Step 2 of 2' },
    lead: html``,
    fields: html`${hidden('kind', chosen.name)}${line({ name: 'client_name', label: 'Name', value: form.client_name, hint: 'People see it when they sign in' })}${
      chosen.asks_origin
        ? line(
            {
              name: 'origin',
              label: 'Where it runs',
              value: form.origin,
              hint: follows,
              placeholder: 'https://app.example.com',
            },
            'url',
          )
        : ''
    }${chosen.asks_redirects ? redirects : ''}${chosen.asks_scopes ? scopes : ''}${line({ name: 'client_id', label: 'Client id', value: form.client_id, hint: 'It never changes. Empty: made from the name' })}${who}${more('More', folded, Boolean(form.redirect_uris || form.allowed_scopes || form.uri) && !chosen.asks_redirects)}`,
    aside: panel({ title: `What follows` }, facts(followsFrom(chosen))),
    has_other_buttons: true,
    verb: 'Add application',
    back: PATH,
  }
}

const WHO: readonly string[] = ['everybody', 'groups', 'nobody'] satisfies Who[]
const whoIn = ({ who = '' }: ConsoleRequest['form']): Who => (WHO.includes(who) ? (who as Who) : 'unsaid')

/** The redirect URIs that it would have, as far as they are typed. */
function redirectsOf(chosen: ChosenKind, form: ConsoleRequest['form']): readonly string[] {
  try {
    const { redirect_uris } = wanted(chosen, { ...form, who: 'unsaid', allowed_groups: '' })
    return (redirect_uris ?? []) as readonly string[]
  } catch {
    return entriesOf(form.redirect_uris)
  }
}

function followsFrom({ preset, fields, redirect_path, asks_redirects }: ChosenKind) {
  const record: Readonly<Record<string, unknown>> =
    preset === undefined ? (fields ?? {}) : PRESETS[preset].fields
  const scopes =
    preset === undefined && asks_redirects ? SIGN_IN_SCOPES : ((record.allowed_scopes ?? []) as string[])
  return [
    ['Secret', record.is_public === true ? 'none: it could not keep one' : 'one is made, and shown once'],
    [
      'Redirect URI',
      redirect_path === undefined ? undefined : html`where it runs, and ${code(redirect_path)}`,
    ],
    ['May ask for', scopes.length === 0 ? undefined : chipList(scopes.map(scopeWords))],
    ['Then', preset === undefined ? 'its settings' : `settings for ${PRESETS[preset].title}, ready to paste`],
  ] as const
}

type Created = Pick<ShownClient, 'client_id' | 'redirect_uris'> & {
  readonly is_public?: unknown
  readonly allowed_scopes?: unknown
  readonly client_secret?: string
}

/** Returns the files of a framework, filled in; undefined: none was chosen. @throws AdminError `conflict` */
function settingsFor(
  { issuer }: Desk,
  { preset }: ChosenKind,
  { client_id, client_secret, is_public, redirect_uris = [], allowed_scopes }: Created,
  address = '',
): readonly SettingsFile[] | undefined {
  if (preset === undefined) return undefined
  const client = {
    client_id,
    is_public: is_public === true,
    redirect_uris,
    allowed_scopes: Array.isArray(allowed_scopes) ? allowed_scopes : [],
  }
  return settingsOf(preset, { issuer, client, client_secret, origin: originIn(address) })
}

/** The last page: the settings with the secret, which is shown this once. */
function done(
  desk: Desk,
  created: ShownClient & { readonly client_secret?: string },
  files: readonly SettingsFile[] | undefined,
): ShownPage {
  const { client_id, client_secret, client_name } = created
  const page = at`/applications/${client_id}`
  const name = String(client_name ?? client_id)
  const secret =
    client_secret === undefined
      ? ''
      : html`${notice('warn', html`<b>The secret is shown now, and never again.</b> A new one can be made at any time.`)}${panel({ title: 'Secret' }, html`<pre tabindex="0">${text(client_secret)}</pre>`)}`
  const go = (path: string, label: string, is_main = false) =>
    act(desk, { path: page + path, label, ...(is_main && { is_main }) }, 'normal')
  return {
    title: `${name} is ready to connect`,
    section: 'applications',
    head: {
      mark: kindMark(kindOf(created), 'large'),
      actions: html`${go('', 'To the application')}${signsPeopleIn(created) ? go('/try', 'Try the sign-in', true) : ''}`,
    },
    body: html`<div class="narrow-page">
${secret}${files === undefined ? panel({ title: 'Settings' }, html`<p>Its issuer is ${code(desk.issuer)}, its client id ${code(client_id)}. ${go('/settings', 'Settings for a framework')}</p>`) : settingsPanels(files)}</div>`,
  }
}

export const NEW_APPLICATION: readonly ConsoleAction[] = [create]
