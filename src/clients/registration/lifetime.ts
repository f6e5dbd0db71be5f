import type { Settings } from '../../config/settings.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { REGISTERED_CLIENT } from '../record/client-kind.ts'
import type { Client } from '../record/client-record.ts'

/** Seconds in which a client that registered without an invitation must get its first tokens. */
export const FIRST_LIFETIME = 86_400

type LifetimeSettings = Pick<Settings, 'client_registration_ttl' | 'refresh_token_ttl'>

/**
 * Returns how many seconds a client stays registered after it got tokens. Half of it is at least the lifetime of a
 * refresh token: with renewal at half, no client lapses before the tokens that it has.
 */
export function lifetimeOf(settings: LifetimeSettings, client: Pick<Client, 'refresh_token_ttl'>): number {
  const refresh_token_ttl = client.refresh_token_ttl ?? settings.refresh_token_ttl
  return Math.max(settings.client_registration_ttl, 2 * refresh_token_ttl)
}

/** Returns the fields of a client that lapses in `ttl` seconds; `now` in milliseconds since 1970. */
export function lapsing(ttl: number, now: number): { lapses_at: string } {
  return { lapses_at: new Date(now + ttl * 1000).toISOString() }
}

/** The dependencies of keepRegistered. */
export interface LifetimeContext {
  readonly settings: LifetimeSettings
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Keeps a client that registered itself, because it got tokens: if less than half of its lifetime is left, with one
 * write. If storage fails, only this renewal is lost: the tokens are issued already.
 */
export async function keepRegistered(
  { settings, storage, now }: LifetimeContext,
  client: Pick<Client, 'client_id' | 'refresh_token_ttl'>,
  lapses_at: string,
): Promise<void> {
  const ttl = lifetimeOf(settings, client)
  if (Date.parse(lapses_at) - now() >= (ttl * 1000) / 2) return
  try {
    // One that a file took over in the meantime lapses no more.
    const change = { set: lapsing(ttl, now()), ttl, expected: { lapses_at } }
    await storage.records.change(REGISTERED_CLIENT, client.client_id, change)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
  }
}
