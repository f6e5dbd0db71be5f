import type { Desk } from './desk.ts'
import type { SectionName } from './sections.ts'

/** How many things fail, by the sections that say more. */
export type Failing = { readonly [name in SectionName]?: number }

/**
 * Counts what failed within an hour and not since: providers, and everything else that is not ours.
 * @throws StorageUnavailable
 */
export async function failingOf(desk: Desk): Promise<Failing> {
  if (!desk.may('list_third_party_faults')) return {}
  const { body } = await desk.ask('list_third_party_faults')
  const providers = body.items.filter(({ party }) => party === 'provider').length
  return { providers, health: body.items.length - providers }
}
