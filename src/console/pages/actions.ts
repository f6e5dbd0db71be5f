import type { OperationName } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import type { Desk } from '../desk.ts'
import { panel, type Row, rows } from './panel.ts'

/** Something that an operator can do, on a page of its own. */
export interface Act {
  /** A path below the console. */
  readonly path: string
  readonly label: string
  /** Whose right it takes; absent: everybody who sees the page may. */
  readonly operation?: OperationName
  readonly icon?: IconName
  /** Whether it is what the page is for: one button of a page is. */
  readonly is_main?: true
  /** Whether it hurts, or cannot be taken back. */
  readonly is_red?: true
  /** What it is about, for those who hear only the button: "End the session of Eve". */
  readonly says?: string
}

/** Whether this operator may do it, and this server does it at all. */
const isOffered = (desk: Desk, { operation }: Pick<Act, 'operation'>): boolean =>
  operation === undefined || (desk.may(operation) && desk.refusal(operation) === undefined)

/** A link that looks like a button; empty: the operator may not, or the server does not do it. */
export function act(desk: Desk, given: Act, looks: 'small' | 'normal' = 'small'): Html | '' {
  if (!isOffered(desk, given)) return ''
  const { path, label, is_main, is_red, says } = given
  const classes = ['button', is_main && 'main', is_red && 'red', looks === 'small' && 'small']
  const name = says === undefined ? '' : html` aria-label="${says}"`
  return html`<a class="${classes.filter(Boolean).join(' ')}" href="${desk.base}${path}"${name}>${given.icon === undefined ? '' : icon(given.icon)}${label}</a>`
}

/** The buttons at the end of a title: seldom ones behind More, the main one last. */
export function acts(desk: Desk, shown: readonly Act[], more: readonly Act[] = []): Html | '' {
  const seldom = more.filter((one) => isOffered(desk, one))
  const buttons = shown.map((one) => act(desk, one, 'normal')).filter((one) => one !== '')
  if (seldom.length === 0 && buttons.length === 0) return ''
  const items = seldom.map(
    ({ path, label, is_red }) =>
      html`<li><a href="${desk.base}${path}"${is_red ? html` class="red"` : ''}>${label}</a></li>`,
  )
  const behind =
    items.length === 0
      ? ''
      : html`<details class="pick"><summary class="button">More</summary><ul>${items}</ul></details>`
  return html`${behind}${buttons}`
}

/** What hurts, last on a page: each with what it does. Empty: the operator may do none of it. */
export function dangerZone(
  desk: Desk,
  given: readonly (Act & { readonly does: Html | string })[],
): Html | '' {
  const offered = given.filter((one) => isOffered(desk, one))
  if (offered.length === 0) return ''
  const shown = offered.map(
    ({ does, ...one }): Row => ({
      name: one.label,
      detail: does,
      action: act(desk, { ...one, label: `${one.label}…`, is_red: true }),
    }),
  )
  return panel({ title: 'Danger zone', is_danger: true }, rows(shown))
}

/**
 * Why an operator who sees the page can change nothing on it; empty: something can be changed.
 * @param right what it takes
 */
export const mayOnlySee = (desk: Desk, operations: readonly OperationName[], right: string): Html | '' =>
  operations.some((one) => desk.may(one))
    ? ''
    : html`<p class="quiet down">You may see this, and not change it: that takes the right <code>${right}</code>.</p>\n`
