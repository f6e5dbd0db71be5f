import { setTimeout as pause } from 'node:timers/promises'
import { lastUseOf } from '../../clients/authentication/secret-uses.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { ClientsUpkeep } from './upkeep-record.ts'

const DAY = 86_400_000
/** From when on a secret is old, and a client unused, in milliseconds. */
const OLD = 365 * DAY
const UNUSED = 90 * DAY
/** How many clients of a kind are named. */
const NAMED = 20
const AT_A_TIME = 50
/** Between two steps, in milliseconds, so that requests hardly notice it. */
const PAUSE = 5

/**
 * Looks at all clients: at which secrets are older than a year, and which clients did not use their secret for 90 days. Of a
 * client without a secret nobody notes a use, and of one that was registered before a time was noted its age is unknown.
 * @throws StorageUnavailable; AbortError
 */
export async function lookAtClients(
  storage: RecordStore,
  now: () => number,
  signal: AbortSignal,
): Promise<ClientsUpkeep> {
  const started = now()
  const old_secrets = new Oldest()
  const unused = new Oldest()
  let after: string | undefined
  do {
    const page = await storage.records.page(CLIENT, {
      limit: AT_A_TIME,
      ...(after !== undefined && { after }),
    })
    await Promise.all(
      page.items.map(async ({ id, hash }) => {
        const created = createdAt(hash)
        if (created === undefined) return
        if (created < started - OLD) old_secrets.add(id, created)
        if (created >= started - UNUSED) return
        const last = await lastUse(storage, id, hash)
        if ((last ?? created) < started - UNUSED) unused.add(id, last ?? created)
      }),
    )
    after = page.next
    await pause(PAUSE, undefined, { signal })
  } while (after !== undefined)
  return {
    at: new Date(started).toISOString(),
    old_secrets: old_secrets.described(),
    unused: unused.described(),
  }
}

/** When the secret of an enabled client was made, in milliseconds since 1970; undefined: it has none, or that is unknown. */
function createdAt({
  is_public,
  disabled,
  client_secret_hash,
  client_secret_created_at,
}: Hash): number | undefined {
  if (is_public === 'true' || disabled === 'true' || !client_secret_hash) return undefined
  const created = Date.parse(client_secret_created_at ?? '')
  return Number.isNaN(created) ? undefined : created
}

async function lastUse(
  storage: RecordStore,
  client_id: string,
  { client_secret_hash, old_secret_hash }: Hash,
): Promise<number | undefined> {
  const digests = [client_secret_hash, old_secret_hash].filter((digest) => digest !== undefined)
  const uses = await Promise.all(digests.map((digest) => lastUseOf(storage, client_id, digest)))
  const known = uses.map((use) => Date.parse(use ?? '')).filter((use) => !Number.isNaN(use))
  return known.length === 0 ? undefined : Math.max(...known)
}

/** Counts, and keeps the oldest few. */
class Oldest {
  #count = 0
  #kept: { client_id: string; since: number }[] = []

  add(client_id: string, since: number): void {
    this.#count += 1
    const last = this.#kept.at(-1)
    if (this.#kept.length >= NAMED && last !== undefined && since >= last.since) return
    this.#kept = [...this.#kept, { client_id, since }].sort((a, b) => a.since - b.since).slice(0, NAMED)
  }

  described(): ClientsUpkeep['unused'] {
    const oldest = this.#kept.map(({ client_id, since }) => ({
      client_id,
      since: new Date(since).toISOString(),
    }))
    return { count: this.#count, oldest }
  }
}
