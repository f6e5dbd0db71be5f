import type { Limit } from '../../src/admin/limits.ts'
import type { Calls } from '../calls.ts'
import { listed, type Report } from '../output.ts'
import { when } from '../when.ts'

/** The command `limits list`. */
export async function showLimits({ call, now }: Calls): Promise<Report> {
  const { items: limits } = await call('list_limits')
  const rows = limits.map((limit) => [
    limit.id,
    limit.kind,
    whomOf(limit),
    limit.counter,
    when(limit.until, now),
  ])
  const head = ['ID', 'KIND', 'WHOM', 'COUNTER', 'UNTIL']
  return { text: listed(head, rows, { none: 'Nobody is locked out.', noun: 'lockout' }), json: { limits } }
}

/** The command `limits lift`. */
export async function lift({ call }: Calls, id: string): Promise<Report> {
  const limit = await call('lift_limit', { params: { id } })
  return { text: `Lifted: ${describeLimit(limit)}.`, json: { lifted: [limit] } }
}

/** The command `user unlock`: forgets the failures of the user, and those of no address. */
export async function unlock({ call }: Calls, username: string): Promise<Report> {
  const { items: lifted } = await call('unlock_user', { params: { username } })
  const sentence =
    lifted.length === 0
      ? 'The user was not locked out.'
      : `Lifted: ${lifted.map((limit) => describeLimit(limit)).join(', ')}.`
  return {
    text: `${sentence} Failures of the user are forgotten; limits of addresses stay.`,
    json: { username, lifted },
  }
}

// `sign_in_user_at_address of alice at 203.0.113.7`.
function describeLimit(limit: Limit): string {
  return `${limit.counter} of ${whomOf(limit)}`
}

function whomOf({ kind, username, client_id, address }: Limit): string {
  const name = kind === 'user' ? (username ?? 'an unknown user') : (client_id ?? 'an unknown client')
  if (kind === 'address') return address ?? ''
  return address === undefined ? name : `${name} at ${address}`
}
