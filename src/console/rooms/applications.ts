import { indexingNote } from '../../admin/operation/list.ts'
import type { Upkeep } from '../../admin/upkeep/upkeep.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { act, acts } from '../pages/actions.ts'
import { type FilterChip, filterChips, findBox, listHead } from '../pages/chips.ts'
import { notice } from '../pages/notices.ts'
import { empty, sheet } from '../pages/panel.ts'
import { at, badge, type Column, exportOffer, oddState, older, short, table, text } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import {
  APPLICATION_KINDS,
  type ApplicationKind,
  kindLabel,
  kindMark,
  kindOf,
  kindsLabel,
  originOf,
  type ShownClient,
} from './application-kind.ts'

/** How many a page has: of as many as most installations have all are there, so that they can be counted by kind. */
const PAGE = '200'
const PATH = '/applications'
const UNUSED = 'unused'
const NEW = {
  path: '/applications/new',
  label: 'New application',
  operation: 'create_client',
  icon: 'plus',
} as const

const COLUMNS: readonly Column[] = [
  { label: 'Name' },
  { label: 'Kind', is_minor: true },
  { label: 'Who may use it', is_minor: true },
  { label: 'Made by', is_minor: true },
]

const list: ConsolePage = {
  path: PATH,
  operation: 'list_clients',
  async show(desk, { query: { q, cursor, kind } }) {
    const [{ body }, upkeep] = await Promise.all([
      desk.ask('list_clients', { query: { q, cursor, limit: PAGE } }),
      desk.may('read_upkeep') && desk.refusal('read_upkeep') === undefined
        ? desk.ask('read_upkeep')
        : undefined,
    ])
    const is_whole = cursor === undefined && body.next === undefined
    const noted = notesOf(upkeep?.body)
    const isShown = (one: ShownClient) =>
      kind === undefined || (kind === UNUSED ? noted.unused.has(one.client_id) : kindOf(one) === kind)
    const shown = body.items.filter(isShown)
    const rows = shown.map((one) => rowOf(desk, one, noted))
    const head = {
      ...(is_whole && {
        beside: html`<span class="quiet">${body.of === undefined ? String(body.items.length) : `${body.items.length} of ${body.of}`}</span>`,
      }),
      actions: acts(desk, [{ ...NEW, is_main: true }]),
    }
    if (is_whole && q === undefined && body.items.length === 0)
      return { title: 'Applications', section: 'applications', body: nothing(desk) }
    return {
      title: 'Applications',
      section: 'applications',
      head,
      body: html`${body.indexing ? notice('plain', indexingNote('client')) : ''}${listHead(
        findBox({
          action: desk.base + PATH,
          name: 'q',
          label: 'Name or client id',
          value: q,
          kept: { kind },
        }),
        filterChips('Which applications', chipsOf(desk, body.items, noted, { q, kind, is_whole })),
      )}
${sheet(
  table('Applications, in the order of their client ids', COLUMNS, rows, nobody(q)),
  html`<span>${exportOffer(desk, '/export/applications.csv', { q })}</span>${older(desk, PATH, { q, kind }, body.next)}`,
)}`,
    }
  },
}

const nobody = (q: string | undefined) =>
  q === undefined ? 'None of these applications is such.' : 'No application is called so.'

const nothing = (desk: Desk): Html =>
  empty(
    'applications',
    'No application yet',
    'An application sends people here to sign in, or gets tokens for itself. Say what it is: its settings follow, ready to paste.',
    act(desk, { ...NEW, is_main: true }, 'normal'),
  )

/** What the servers noted of applications when they last looked: of the first of them. */
interface Notes {
  readonly unused: ReadonlySet<string>
  readonly old_secrets: ReadonlyMap<string, string>
}

function notesOf(upkeep: Upkeep | undefined): Notes {
  const { unused, old_secrets } = upkeep?.clients ?? {}
  return {
    unused: new Set(unused?.oldest.map(({ client_id }) => client_id)),
    old_secrets: new Map(old_secrets?.oldest.map(({ client_id, since }) => [client_id, since.slice(0, 4)])),
  }
}

function rowOf(desk: Desk, one: ShownClient, { unused, old_secrets }: Notes): readonly (Html | string)[] {
  const { client_id, client_name, state } = one
  const kind = kindOf(one)
  const year = old_secrets.get(client_id)
  const states = html`${oddState(state)}${year === undefined ? '' : badge(`Secret of ${year}`, 'warn')}${unused.has(client_id) ? badge('Not used for 90 days') : ''}`
  return [
    html`<div class="who">${kindMark(kind)}<div><a class="name" href="${desk.base}${at`/applications/${client_id}`}">${short(client_name ?? client_id)}</a> ${states}<small>${short(client_id)}</small></div></div>`,
    kindLabel(kind),
    kind === 'machine' || kind === 'api' ? html`<span class="quiet">no people</span>` : whoMayUse(one),
    originOf(one),
  ]
}

/** Who may use an application, in a word or its groups. */
function whoMayUse({ allowed_groups, everybody }: ShownClient): Html | string {
  if (allowed_groups === undefined) return everybody === true ? 'everybody' : 'everybody, by default'
  return text(allowed_groups.join(', ') || 'nobody')
}

interface Chosen {
  readonly q: string | undefined
  readonly kind: string | undefined
  /** Whether all applications are on the page, so that they can be counted. */
  readonly is_whole: boolean
}

function chipsOf(
  desk: Desk,
  items: readonly ShownClient[],
  { unused }: Notes,
  { q, kind: chosen, is_whole }: Chosen,
): FilterChip[] {
  const chip = (label: string, kind: string | undefined, number: number): FilterChip => {
    const query = new URLSearchParams({ ...(q && { q }), ...(kind && { kind }) }).toString()
    return {
      label,
      href: `${desk.base}${PATH}${query === '' ? '' : `?${query}`}`,
      is_current: chosen === kind,
      ...(is_whole && { count: String(number) }),
    }
  }
  const of_kind = (kind: ApplicationKind) => items.filter((one) => kindOf(one) === kind).length
  return [
    chip('All', undefined, items.length),
    ...APPLICATION_KINDS.filter((kind) => of_kind(kind) > 0 || chosen === kind).map((kind) =>
      chip(kindsLabel(kind), kind, of_kind(kind)),
    ),
    ...(unused.size > 0
      ? [chip('Not used for 90 days', UNUSED, items.filter(({ client_id }) => unused.has(client_id)).length)]
      : []),
  ]
}

export const APPLICATION_LIST: readonly ConsolePage[] = [list]
