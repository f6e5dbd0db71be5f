import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { PROVIDER, type Provider, parseProvider, providerProblem } from './provider-record.ts'

/** What it takes to find providers. */
export interface ProviderContext {
  readonly storage: RecordStore
  readonly log: Log
}

/** How many a page shows at most. */
const MAX_SHOWN = 20

/**
 * Returns a provider by which people may sign in now; undefined if it is missing, disabled or malformed, the last of
 * which is logged. It is not cached: who is disabled is refused at once.
 * @throws StorageUnavailable
 */
export async function findProvider(
  { storage, log }: ProviderContext,
  name: string,
): Promise<Provider | undefined> {
  if (providerProblem(name) !== undefined) return undefined
  const found = await storage.records.read(PROVIDER, name)
  const provider = found && readRecord(found, log, 'provider', { provider: name })
  return provider?.disabled ? undefined : provider
}

/** Whether people may sign in now by a provider with one of these links, `<issuer>#<sub>`. @throws StorageUnavailable */
export async function areLinkedWithProvider(
  { storage }: Pick<ProviderContext, 'storage'>,
  links: readonly string[],
): Promise<boolean> {
  let after: string | undefined
  do {
    const { items, next } = await storage.records.page(PROVIDER, { limit: 100, ...(after && { after }) })
    const parsed = items.map(({ id, hash }) => recordOf({ hash, ...parseProvider(id, hash) }))
    const is_linked = parsed.some(
      (one) => one && !one.disabled && links.some((link) => link.startsWith(`${one.issuer}#`)),
    )
    if (is_linked) return true
    after = next
  } while (after !== undefined)
  return false
}

/** Returns the providers by which people may sign in now, in the order of their names. @throws StorageUnavailable */
export async function listProviders({ storage }: Pick<ProviderContext, 'storage'>): Promise<Provider[]> {
  const { items } = await storage.records.page(PROVIDER, { limit: MAX_SHOWN })
  const found = items.map(({ id, hash }) => recordOf({ hash, ...parseProvider(id, hash) }))
  return found.filter((provider) => provider !== undefined && !provider.disabled) as Provider[]
}
