import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { empty, rows, sheet } from '../pages/panel.ts'
import { badge, code, link, oddState, older, short, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import {
  failureOf,
  failureParts,
  linkedWords,
  providerMark,
  providerName,
  providerPage,
  type ShownProvider,
  type Use,
  usesOf,
} from './provider-state.ts'
import { addButton, countOf } from './record-parts.ts'

const UNKNOWN: Use = {}

const providers: ConsolePage = {
  path: '/providers',
  operation: 'list_providers',
  async show(desk, { query: { cursor } }) {
    const [{ body }, uses] = await Promise.all([
      desk.ask('list_providers', { query: { cursor } }),
      usesOf(desk),
    ])
    const useOf = ({ provider }: ShownProvider) => uses?.by_name.get(String(provider)) ?? UNKNOWN
    const failing = body.items.filter((item) => failureOf(useOf(item)) !== undefined)
    const others = body.items.filter((item) => failureOf(useOf(item)) === undefined)
    const add = addButton(desk, '/providers', 'Add provider', 'create_provider')
    const off = desk.off('list_providers')
    const none = body.items.length === 0 && cursor === undefined
    return {
      title: 'Providers',
      section: 'providers',
      head: {
        beside: none ? '' : countOf(body.items.length, body.next, cursor),
        lead: 'Other services that people can sign in with.',
        actions: none ? '' : add,
      },
      body: html`${off === undefined ? '' : html`<p class="down">${off}</p>\n`}${none ? empty('link', 'Nobody signs in by another site yet', 'With a provider, such as Google or your company, people need no password here. They are linked by the account that they have there.', add) : ''}${failing.map((item) => failed(desk, item, useOf(item)))}
${others.length === 0 ? '' : sheet(rows(others.map((item) => rowOf(desk, item, useOf(item)))))}
${older(desk, '/providers', {}, body.next)}`,
    }
  },
}

/** One that fails: since when, at which step, whom it hurts, and what to do. */
function failed(desk: Desk, item: ShownProvider, use: Use): Html {
  const fault = failureOf(use)
  if (fault === undefined) return html``
  const page = providerPage(item)
  return html`<section class="panel" aria-label="${providerName(item)}">
<header><div class="who">${providerMark(item)}<div><h2>${link(desk, page, short(providerName(item)))}</h2><small class="address">${text(item.issuer ?? '')}</small></div></div>${badge('failing', 'bad')}</header>
${failureParts(desk, item, fault)}
<footer><span>${linkedWords(use)}${use.last_success_at === undefined ? '' : html`, worked ${when(use.last_success_at, desk)}`}</span>${link(desk, page, 'Settings')}</footer>
</section>
`
}

function rowOf(desk: Desk, item: ShownProvider, use: Use) {
  const { last_success_at } = use
  const used = last_success_at === undefined ? '' : html`, used ${when(last_success_at, desk)}`
  return {
    mark: providerMark(item),
    name: link(desk, providerPage(item), short(providerName(item))),
    state: oddState(item.state),
    detail: html`${text(item.issuer ?? item.kind ?? '')}${item.creates_users === true ? ', makes accounts' : ''} · ${code(String(item.provider))}`,
    action: html`<span class="quiet">${linkedWords(use)}${used}</span>${last_success_at === undefined ? '' : badge('works', 'good')}`,
  }
}

export const PROVIDER_PAGES: readonly ConsolePage[] = [providers]
