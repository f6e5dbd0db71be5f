import { AdminError } from '../../admin/operation/problem.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { html } from '../../pages/html.ts'
import { actionOf, lastOf, type Subject } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { type Consequence, consequence, counted, steps } from '../pages/consequence.ts'
import { choice } from '../pages/fields.ts'
import { at, code, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import { kindMark, kindOf, type ShownClient } from './application-kind.ts'
import { EDIT_APPLICATION } from './edit-application.ts'

interface AboutApplication extends Subject {
  /** Absent: there is no record yet, or the operator may not see it. */
  readonly application?: ShownClient
}

const ONE = '/applications/:client_id'

/** Reads which application an action is about; one that a document describes is known only by its id at first. */
async function aboutApplication(desk: Desk, given: ConsoleRequest): Promise<AboutApplication> {
  const client_id = lastOf(given)
  const unknown = { name: client_id, path: at`/applications/${client_id}` }
  if (!desk.may('read_client')) return unknown
  try {
    const { body: application, version } = await desk.ask('read_client', { params: { client_id } })
    const name = String(application.client_name ?? client_id)
    const mark = kindMark(kindOf(application), 'large')
    return { ...unknown, name, application, version, mark, lead: code(client_id) }
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found' && isClientIdUrl(client_id)) return unknown
    throw error
  }
}
const OF_APPLICATION = { section: 'applications', back: ONE, about: aboutApplication } as const

/** How many sign-ins an application has, and what becomes of them; undefined: nobody may know, or there is no record. */
async function signIns(
  desk: Desk,
  { params }: ConsoleRequest,
  { application }: AboutApplication,
  does: readonly [one: string, many: string],
): Promise<Consequence | undefined> {
  if (application === undefined || !desk.may('list_grants_of_client')) return undefined
  const asked = { params: paramsOf('list_grants_of_client', params), query: { limit: '20' } }
  const { body } = await desk.ask('list_grants_of_client', asked)
  return counted(body, ...does)
}

const END = ['sign-in ends, with its tokens', 'sign-ins end, with their tokens'] as const
const STOP = ['sign-in stops working', 'sign-ins stop working'] as const

const DAY = 86_400

export const APPLICATION_ACTIONS: readonly ConsoleAction[] = [
  EDIT_APPLICATION,
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/disable`,
    operation: 'disable_client',
    title: (_desk, _given, { name }) => `Disable ${name}?`,
    top: async (desk, given, about) =>
      html`${consequence([await signIns(desk, given, about, STOP)])}${steps([
        {
          kind: 'ends',
          says: 'Nobody can sign in to it, it cannot prove who it is, and its tokens are refused within a second.',
        },
        {
          kind: 'stays',
          says: 'Settings, secrets and sign-ins stay. Enable brings back the tokens that have not expired by then.',
        },
      ])}`,
    verb: 'Disable',
    is_named: true,
    is_danger: true,
    done: 'application_disabled',
    undo: `${ONE}/enable`,
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/enable`,
    operation: 'enable_client',
    title: (_desk, _given, { name }) => `Enable ${name}?`,
    top: () =>
      steps([{ kind: 'next', says: 'It works again, with those of its tokens that have not expired.' }]),
    verb: 'Enable',
    is_named: true,
    done: 'application_enabled',
    undo: `${ONE}/disable`,
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/remove`,
    operation: 'delete_client',
    title: (_desk, _given, { name }) => `Remove ${name}?`,
    top: async (desk, given, about) =>
      html`${consequence([await signIns(desk, given, about, END)])}${steps([
        {
          kind: 'ends',
          says: 'The application goes for good, with its secrets and its previews. That cannot be taken back.',
        },
        { kind: 'stays', says: 'Accounts of people stay, and their sessions here.' },
      ])}`,
    typed: { what: 'client id', read: 'read_client' },
    verb: 'Remove',
    is_named: true,
    is_danger: true,
    to: '/applications',
    done: 'application_removed',
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/secret`,
    operation: 'rotate_client_secret',
    title: (_desk, _given, { name }) => `Make a new secret for ${name}?`,
    top: (desk, _given, { application }) =>
      steps([
        { kind: 'next', says: 'The new secret is shown once.' },
        {
          kind: 'stays',
          says: html`The old one can stay for a while, so that the application is changed without a break.${application === undefined ? '' : html` It was used ${when(application.secret_used_at, desk)}.`}`,
        },
        ...(application?.old_secret === 'set'
          ? [{ kind: 'ends', says: 'The secret before that ends now.' } as const]
          : []),
      ]),
    fields: (_desk, { form }) =>
      choice({ name: 'keep', label: 'The old secret', value: form.keep ?? String(DAY) }, [
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
    title: (_desk, _given, { name }) => `End the old secret of ${name}?`,
    top: (desk, _given, { application }) =>
      steps([
        {
          kind: 'ends',
          says: html`An application that still has it cannot prove any more that it is this one.${application === undefined ? '' : html` It was last used: ${when(application.old_secret_used_at, desk)}.`}`,
        },
        { kind: 'stays', says: 'The new secret counts, and sign-ins stay.' },
      ]),
    verb: 'End the old secret',
    is_danger: true,
    done: 'old_secret_ended',
  }),
  actionOf({
    ...OF_APPLICATION,
    path: `${ONE}/end-grants`,
    operation: 'end_grants_of_client',
    title: (_desk, _given, { name }) => `End all sign-ins to ${name}?`,
    top: async (desk, given, about) =>
      html`${consequence([await signIns(desk, given, about, END)])}${steps([
        { kind: 'ends', says: 'Its tokens are refused within a second, wherever they are.' },
        { kind: 'stays', says: 'The application stays as it is, and people can sign in to it again.' },
      ])}`,
    verb: 'End all sign-ins',
    is_danger: true,
    done: 'grants_ended',
    count: ({ ended }) => ended,
  }),
]
