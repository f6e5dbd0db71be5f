import { tellClientChange } from '../../src/admin/clients/events.ts'
import { noSuchClient, readClient } from '../../src/admin/clients/noun.ts'
import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { fetchClientKeys } from '../../src/clients/keys/client-keys.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { parseClient } from '../../src/clients/record/client-record.ts'
import { SIGNING_ALGS } from '../../src/core/algs.ts'
import { reportAll } from '../../src/core/events.ts'
import { isObject, parseObject } from '../../src/core/json.ts'
import { isSecretKey, readKey } from '../../src/keys/key-set.ts'
import { describeFailure, type GetDocument } from '../../src/outbound/public-get.ts'
import { assertWellFormed, Refusal, withHints } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { hintsFor } from './show.ts'

/** A key of a client, as `client keys show` reports it. */
interface ShownKey {
  readonly kid: string
  readonly kty: string
  readonly use: string
  /** The algorithms of the signatures that it verifies here. */
  readonly algs: readonly string[]
  readonly is_secret: boolean
}

/**
 * The command `client keys refresh`: from now on no server uses what it fetched before.
 * @throws Refusal if the client does not exist, or has no `jwks_uri`
 */
export async function refreshKeys(
  { storage, report, now }: Pick<CommandContext, 'storage' | 'report' | 'now'>,
  client_id: string,
): Promise<Report> {
  const stored = await withHints(hintsFor(client_id), readClient(storage, client_id))
  if (!stored.jwks_uri) {
    throw new Refusal(
      `The client "${client_id}" has no jwks_uri, so nothing is fetched: a change of its jwks takes effect within a second.`,
    )
  }
  const keys_refreshed_at = new Date(now()).toISOString()
  const changed = { set: { keys_refreshed_at }, unset: [] }
  const { events, told } = tellClientChange(report, client_id, stored, applyChange(stored, changed))
  if ((await storage.records.change(CLIENT, client_id, { ...changed, told })) === 'missing')
    throw noSuchClient(client_id)
  reportAll(report, events)
  return {
    text: 'The servers fetch the keys of the client again, and do not use those that they fetched before.',
    json: { client_id, keys_refreshed_at },
  }
}

/**
 * The command `client keys show`: the keys in the record, or those that are at its address now.
 * @param get fetches the key set; by default as the servers do
 * @throws Refusal if the client does not exist, is malformed, has no keys, or its keys cannot be fetched
 */
export async function showKeys(
  { storage, config }: Pick<CommandContext, 'storage' | 'config'>,
  client_id: string,
  get?: GetDocument,
): Promise<Report> {
  const stored = await withHints(hintsFor(client_id), readClient(storage, client_id))
  const parsed = parseClient(client_id, stored)
  assertWellFormed(parsed)
  const { jwks, jwks_uri, registered_at } = parsed.record
  const fetching = fetchClientKeys(config.settings)
  const asked = get ?? (registered_at === undefined ? fetching.registered : fetching.described)
  const document = jwks === undefined ? await fetchKeys(asked, client_id, jwks_uri) : parseObject(jwks)
  const members: readonly unknown[] = Array.isArray(document?.keys) ? document.keys : []
  const keys = members.filter(isObject).map(shown)
  const source = jwks_uri ?? 'the record'
  const rows = keys.map(({ kid, kty, use, algs, is_secret }) => [
    kid,
    kty,
    use,
    is_secret ? 'refused: a private or a symmetric key' : algs.join(' ') || 'none',
  ])
  return {
    text: `${table(['KID', 'KTY', 'USE', 'VERIFIES'], rows)}\n\nFrom ${source}.`,
    json: { client_id, source, keys },
  }
}

async function fetchKeys(get: GetDocument, client_id: string, jwks_uri: string | undefined) {
  if (jwks_uri === undefined)
    throw new Refusal(`The client "${client_id}" has no keys: no jwks and no jwks_uri.`)
  const fetched = await get(jwks_uri)
  if (fetched.ok) return fetched.document
  throw new Refusal(`The key set ${jwks_uri} ${describeFailure(fetched)}.`)
}

function shown(jwk: Record<string, unknown>): ShownKey {
  const textOf = (name: string) => (typeof jwk[name] === 'string' ? jwk[name] : '')
  const verified = readKey(jwk).map(({ alg }) => alg)
  return {
    kid: textOf('kid'),
    kty: textOf('kty'),
    use: textOf('use'),
    algs: SIGNING_ALGS.filter((alg) => verified.includes(alg)),
    is_secret: isSecretKey(jwk),
  }
}
