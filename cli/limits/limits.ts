import { type Limit, liftLimit, listLimits } from '../../src/admin/limits.ts'
import { AdminError } from '../../src/admin/problem.ts'
import { instant } from '../../src/core/instant.ts'
import { Refusal } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext } from '../run.ts'

/** The command `limits list`. @throws StorageUnavailable */
export async function showLimits({ storage, now }: CommandContext): Promise<Report> {
  const limits = await listLimits({ storage, now: () => now })
  const rows = limits.map((limit) => [
    limit.id,
    limit.kind,
    whomOf(limit),
    limit.counter,
    instant(new Date(limit.until), now),
  ])
  return {
    text:
      limits.length === 0 ? 'Nobody is locked out.' : table(['ID', 'KIND', 'WHOM', 'COUNTER', 'UNTIL'], rows),
    json: { limits },
  }
}

/** The command `limits lift`. @throws Refusal if there is no such lockout; StorageUnavailable */
export async function lift({ storage, report, now }: CommandContext, id: string): Promise<Report> {
  try {
    const limit = await liftLimit({ storage, report, now: () => now }, id)
    return { text: `Lifted: ${describeLimit(limit)}.`, json: { lifted: [limit] } }
  } catch (error) {
    throw error instanceof AdminError ? new Refusal(error.message) : error
  }
}

/** Describes a lockout: `sign_in_user_at_address of alice at 203.0.113.7`. */
export function describeLimit(limit: Limit): string {
  return `${limit.counter} of ${whomOf(limit)}`
}

function whomOf({ kind, username, client_id, address }: Limit): string {
  const name = kind === 'user' ? (username ?? 'an unknown user') : (client_id ?? 'an unknown client')
  if (kind === 'address') return address ?? ''
  return address === undefined ? name : `${name} at ${address}`
}
