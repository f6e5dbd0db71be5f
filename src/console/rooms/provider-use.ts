import type { ProviderUse } from '../../admin/upkeep/provider-use.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { code, when } from '../pages/parts.ts'
import type { Noted } from './noted.ts'

/** What last came of asking providers, and how many people each is linked to. */
export const PROVIDER_USE: Noted = {
  columns: ['Last success', 'Last error', 'People linked'],
  async read(desk) {
    const { body } = await desk.ask('list_provider_uses')
    return new Map(body.items.map((use) => [use.provider, cellsOf(desk, use, body.linked_at)]))
  },
}

function cellsOf(
  desk: Desk,
  { last_success_at, last_error, linked }: ProviderUse,
  linked_at: string | undefined,
): readonly (Html | string)[] {
  return [
    when(last_success_at, desk),
    last_error === undefined ? 'none' : html`${code(last_error.code)}, ${when(last_error.at, desk)}`,
    linked === undefined ? 'not counted yet' : html`${String(linked)}, counted ${when(linked_at, desk)}`,
  ]
}
