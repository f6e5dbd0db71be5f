import type { AnswerOf } from '../../admin/operations.ts'
import type { ProviderUse } from '../../admin/upkeep/provider-use.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialsOf } from '../../pages/text.ts'
import type { Desk } from '../desk.ts'
import { act, acts } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { empty, rows, sheet } from '../pages/panel.ts'
import { at, badge, code, link, oddState, older, short, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { faultWords } from './fault-words.ts'

type Provider = AnswerOf<'list_providers'>['items'][number]
type Fault = NonNullable<ProviderUse['last_error']>

const UNKNOWN: Omit<ProviderUse, 'provider'> = {}

/** What is called a failure: the last answer that did not count came after the last one that did. */
function failureOf({ last_error, last_success_at }: Omit<ProviderUse, 'provider'>): Fault | undefined {
  if (last_error === undefined) return undefined
  return last_success_at === undefined || last_error.at > last_success_at ? last_error : undefined
}

const providers: ConsolePage = {
  path: '/providers',
  operation: 'list_providers',
  async show(desk, { query: { cursor } }) {
    const knows = desk.may('list_provider_uses') && desk.refusal('list_provider_uses') === undefined
    const [{ body }, uses] = await Promise.all([
      desk.ask('list_providers', { query: { cursor } }),
      knows ? desk.ask('list_provider_uses') : undefined,
    ])
    const by_name = new Map(uses?.body.items.map((use) => [use.provider, use]))
    const useOf = ({ provider }: Provider) => by_name.get(String(provider)) ?? UNKNOWN
    const failing = body.items.filter((item) => failureOf(useOf(item)) !== undefined)
    const others = body.items.filter((item) => failureOf(useOf(item)) === undefined)
    const add = {
      path: '/providers/new',
      label: 'Add provider',
      operation: 'create_provider',
      icon: 'plus',
    } as const
    const off = desk.off('list_providers')
    const none = body.items.length === 0 && cursor === undefined
    return {
      title: 'Providers',
      section: 'providers',
      head: {
        beside: none ? '' : html`<span class="count">${String(body.items.length)}</span>`,
        lead: 'Other services that people can sign in with.',
        actions: none ? '' : acts(desk, [{ ...add, is_main: true }]),
      },
      body: html`${off === undefined ? '' : html`<p class="down">${off}</p>\n`}${none ? empty('link', 'Nobody signs in by another site yet', 'With a provider, such as Google or your company, people need no password here. They are linked by the account that they have there.', act(desk, { ...add, is_main: true }, 'normal')) : ''}${failing.map((item) => failed(desk, item, useOf(item)))}
${others.length === 0 ? '' : sheet(rows(others.map((item) => rowOf(desk, item, useOf(item)))))}
${older(desk, '/providers', {}, body.next)}`,
    }
  },
}

const nameOf = ({ name, provider }: Provider): string => String(name || provider)
const pageOf = ({ provider }: Provider) => at`/providers/${String(provider)}`
const mark = (item: Provider): Html =>
  html`<span class="app" aria-hidden="true">${initialsOf(nameOf(item))}</span>`

/** One that fails: since when, at which step, whom it hurts, and what to do. */
function failed(desk: Desk, item: Provider, use: Omit<ProviderUse, 'provider'>): Html {
  const fault = failureOf(use)
  if (fault === undefined) return html``
  const page = pageOf(item)
  const host = hostOf(item)
  const renews = fault.code.includes('CERT')
  return html`<section class="panel" aria-label="${nameOf(item)}">
<header><div class="who">${mark(item)}<div><h2>${link(desk, page, short(nameOf(item)))}</h2><small class="address">${text(item.issuer ?? '')}</small></div></div>${badge('failing', 'bad')}</header>
${steps([
  {
    kind: 'stops',
    says: html`<b>${faultWords(fault)}</b> <code class="quiet">${fault.code}</code><br>${when(fault.at, desk)}, and it did not work since. Who met it made no mistake: the accounts have no fault.`,
  },
])}
<div class="inside"><p class="down"><b>What to do:</b> ${renews ? html`tell those who run ${host} to renew the certificate. Nothing has to be changed here, and it works again by itself.` : html`test it now: the test says what is wrong. If it is not the settings, tell those who run ${host}.`} Until then, people can be given a link for a password.</p>
<div class="buttons">${act(desk, { path: `${page}/test`, label: 'Test now', operation: 'test_provider' }, 'normal')}${act(desk, { path: `${page}/edit`, label: 'Change or hide it', operation: 'change_provider' }, 'normal')}${act(desk, { path: `/explain?${new URLSearchParams({ reason: 'upstream_failed' }).toString()}`, label: 'The refusals', operation: 'list_explanations' }, 'normal')}</div></div>
<footer><span>${linkedWords(use)}${use.last_success_at === undefined ? '' : html`, worked ${when(use.last_success_at, desk)}`}</span>${link(desk, page, 'Settings')}</footer>
</section>
`
}

function rowOf(desk: Desk, item: Provider, use: Omit<ProviderUse, 'provider'>) {
  const { last_success_at } = use
  const used = last_success_at === undefined ? '' : html`, used ${when(last_success_at, desk)}`
  return {
    mark: mark(item),
    name: link(desk, pageOf(item), short(nameOf(item))),
    state: oddState(item.state),
    detail: html`${text(item.issuer ?? item.kind ?? '')}${item.creates_users === true ? ', makes accounts' : ''} · ${code(String(item.provider))}`,
    action: html`<span class="quiet">${linkedWords(use)}${used}</span>${last_success_at === undefined ? '' : badge('works', 'good')}`,
  }
}

const linkedWords = ({ linked }: Omit<ProviderUse, 'provider'>): string =>
  linked === undefined ? 'people not counted yet' : linked === 1 ? '1 person' : `${linked} people`

function hostOf({ issuer, provider }: Provider): Html {
  const host = /^https?:\/\/([^/]+)/.exec(String(issuer ?? ''))?.[1]
  return short(host ?? String(provider))
}

export const PROVIDER_PAGES: readonly ConsolePage[] = [providers]
