import { count } from '../../src/core/count.ts'
import type { Calls } from '../calls.ts'
import { withHints } from '../errors.ts'
import { type Report, table } from '../output.ts'
import { hintsFor } from './show.ts'

/** The command `client keys refresh`. @throws Refusal if the client does not exist, or has no `jwks_uri` */
export async function refreshKeys({ call }: Calls, client_id: string): Promise<Report> {
  const refreshing = call('refresh_client_keys', { params: { client_id } })
  return {
    text: 'The servers fetch the keys of the client again, and do not use those that they fetched before.',
    json: await withHints(hintsFor(client_id), refreshing),
  }
}

/**
 * The command `client keys show`.
 * @throws Refusal if the client does not exist, is malformed, has no keys, or its keys cannot be fetched
 */
export async function showKeys({ call }: Calls, client_id: string): Promise<Report> {
  const reading = call('read_client_keys', { params: { client_id } })
  const found = await withHints(hintsFor(client_id), reading)
  const rows = found.keys.map(({ kid, kty, use, algs, is_secret }) => [
    kid,
    kty,
    use,
    is_secret ? 'refused: a private or a symmetric key' : algs.join(' ') || 'none',
  ])
  return {
    text: `${table(['KID', 'KTY', 'USE', 'VERIFIES'], rows)}\n\n${count(rows.length, 'key')} from ${found.source}.`,
    json: found,
  }
}
