import { InvalidArgumentError } from 'commander'
import { MAX_USES } from '../../src/admin/clients/initial-access-tokens.ts'
import { count } from '../../src/core/count.ts'
import type { Calls } from '../calls.ts'
import type { Report } from '../output.ts'

/** The flags of `client invite`; `ttl` in seconds. */
export interface InviteFlags {
  readonly uses: number
  readonly ttl: number
}

/** Parses how many clients an invitation registers. @throws InvalidArgumentError */
export function readUses(value: string): number {
  const uses = /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
  if (uses <= MAX_USES) return uses
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_USES}.`)
}

/** The command `client invite`. */
export async function inviteClient({ call }: Calls, { uses: wanted, ttl }: InviteFlags): Promise<Report> {
  const body = { uses: wanted, ttl }
  const { id: _, ...invited } = await call('create_invitation', { body })
  const { invitation, uses, expires_at, registration_endpoint, client_registration } = invited
  const lines = [
    `invitation  ${invitation}`,
    '',
    `It registers ${count(uses, 'client')} until ${expires_at}, and is not shown again.`,
    `The client sends it to ${registration_endpoint} as Authorization: Bearer <invitation>.`,
  ]
  if (client_registration === 'off') {
    lines.push('CLIENT_REGISTRATION is off here: set it to invitation in all servers.')
  }
  return { text: lines.join('\n'), json: invited }
}
