import type { AnswerOf } from '../../admin/operations.ts'
import type { ProviderUse } from '../../admin/upkeep/provider-use.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialsOf } from '../../pages/text.ts'
import { PROVIDER_PRESETS } from '../../providers/presets.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { at, short, when } from '../pages/parts.ts'
import { faultWords } from './fault-words.ts'

export type ShownProvider = AnswerOf<'read_provider'>
/** What is known of the use of a provider. */
export type Use = Omit<ProviderUse, 'provider'>
type Fault = NonNullable<ProviderUse['last_error']>

/** What people call a provider, as pages do. */
export function providerName({ name, kind, issuer, provider }: Readonly<Record<string, unknown>>): string {
  if (typeof name === 'string' && name !== '') return name
  const preset = Object.entries(PROVIDER_PRESETS).find(([one]) => one === kind)?.[1]
  const host = /^https?:\/\/([^/]+)/.exec(String(issuer ?? ''))?.[1]
  return preset?.name ?? host ?? String(provider ?? '')
}

export const providerPage = ({ provider }: ShownProvider) => at`/providers/${String(provider)}`
export const providerMark = (item: ShownProvider, looks: 'normal' | 'large' = 'normal'): Html =>
  html`<span class="app${looks === 'large' ? ' large' : ''}" aria-hidden="true">${initialsOf(providerName(item))}</span>`

/** What is known of the use of providers, by their names, and when people were counted; undefined: nothing. */
export async function usesOf(desk: Desk) {
  if (!desk.may('list_provider_uses') || desk.refusal('list_provider_uses') !== undefined) return undefined
  const { body } = await desk.ask('list_provider_uses')
  return {
    by_name: new Map<string, Use>(body.items.map((use) => [use.provider, use])),
    counted_at: body.linked_at,
  }
}

/** What is called a failure: the last answer that did not count came after the last one that did. */
export function failureOf({ last_error, last_success_at }: Use): Fault | undefined {
  if (last_error === undefined) return undefined
  return last_success_at === undefined || last_error.at > last_success_at ? last_error : undefined
}

export const linkedWords = ({ linked }: Use): string =>
  linked === undefined ? 'people not counted yet' : linked === 1 ? '1 person' : `${linked} people`

/** What fails, whom it hurts, and what to do about it. */
export function failureParts(desk: Desk, item: ShownProvider, fault: Fault): Html {
  const page = providerPage(item)
  const host = hostOf(item)
  const renews = fault.code.includes('CERT')
  return html`${steps([
    {
      kind: 'stops',
      says: html`<b>${faultWords(fault)}</b> <code class="quiet">${fault.code}</code><br>${when(fault.at, desk)}, and it did not work since. Who met it made no mistake: the accounts have no fault.`,
    },
  ])}
<div class="inside"><p class="down"><b>What to do:</b> ${renews ? html`tell those who run ${host} to renew the certificate. Nothing has to be changed here, and it works again by itself.` : html`test it now: the test says what is wrong. If it is not the settings, tell those who run ${host}.`} Until then, people can be given a link for a password.</p>
<div class="buttons">${act(desk, { path: `${page}/test`, label: 'Test now', operation: 'test_provider' }, 'normal')}${act(desk, { path: `${page}/edit`, label: 'Change or hide it', operation: 'change_provider' }, 'normal')}${act(desk, { path: `/explain?${new URLSearchParams({ reason: 'upstream_failed' }).toString()}`, label: 'The refusals', operation: 'list_explanations' }, 'normal')}</div></div>`
}

function hostOf({ issuer, provider }: ShownProvider): Html {
  const host = /^https?:\/\/([^/]+)/.exec(String(issuer ?? ''))?.[1]
  return short(host ?? String(provider))
}
