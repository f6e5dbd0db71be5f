import { type Html, html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { hidden } from '../pages/fields.ts'
import { panel } from '../pages/panel.ts'
import { applicationLink, at, code, short, stateBadge, table, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import type { ShownClient } from './application-kind.ts'

/** The previews of an application that are alive; nothing for one that has none. */
export async function previewsPanel(
  desk: Desk,
  { client_id, preview_hosts }: ShownClient,
): Promise<Html | ''> {
  if (preview_hosts === undefined || !desk.may('list_previews')) return ''
  const { body } = await desk.ask('list_previews', { params: { client_id } })
  const rows = body.items.map((preview) => [
    applicationLink(desk, preview.client_id, short(preview.redirect_uri)),
    stateBadge(preview.state),
    when(preview.lapses_at, desk),
    act(desk, {
      path: `${at`/applications/${client_id}`}/end-preview?${new URLSearchParams({ uri: preview.redirect_uri })}`,
      label: 'End',
      operation: 'end_preview',
      says: `End the preview ${preview.redirect_uri}`,
    }),
  ])
  const columns = [
    'Where',
    'State',
    { label: 'Lapses', is_minor: true },
    { label: 'Action', is_number: true, is_silent: true },
  ] as const
  return panel(
    { title: 'Previews', lead: 'Clients of their own, which CI jobs make and which lapse.' },
    table('Previews that are alive', columns, rows, 'None now.'),
  )
}

const uriIn = ({ form, query }: ConsoleRequest): string => form.uri ?? query.uri ?? ''

export const PREVIEW_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    section: 'applications',
    back: '/applications/:client_id',
    path: '/applications/:client_id/end-preview',
    operation: 'end_preview',
    title: () => 'End this preview?',
    top: (desk, given) =>
      steps([
        {
          kind: 'ends',
          says: html`Nobody signs in at ${code(uriIn(given))} any more, and its tokens are refused within a second.`,
        },
        { kind: 'next', says: 'The next preview there is another client, which a CI job makes.' },
        {
          kind: 'stays',
          says: html`${applicationLink(desk, given.params.client_id ?? '', text(given.params.client_id))} stays as it is, with its sign-ins.`,
        },
      ]),
    fields: (_desk, given) => hidden('uri', uriIn(given)),
    verb: 'End it',
    is_danger: true,
    asks: (given) => ({ query: { redirect_uri: uriIn(given) } }),
    done: 'preview_ended',
  }),
]
