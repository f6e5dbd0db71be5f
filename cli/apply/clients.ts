import { needsSecret } from '../../src/admin/clients/defaults.ts'
import { newSecret } from '../../src/admin/clients/secret.ts'
import { givenToJson } from '../../src/admin/operation/record-json.ts'
import { OPERATIONS } from '../../src/admin/operations.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { present } from '../../src/core/present.ts'
import type { Calls } from '../calls.ts'
import type { Entry } from '../client/import-file.ts'
import { shownDifferences } from './difference.ts'
import type { Declared } from './step.ts'

/** What a file may say of a client; the rest redmint sets by itself. */
const DECLARABLE = [
  ...Object.entries(OPERATIONS.create_client.body?.properties ?? {}).flatMap(([name, { readOnly }]) =>
    readOnly || name === 'undeclared' ? [] : [name],
  ),
  'client_secret_hash',
]
const OWN_FIELDS = Object.keys(CLIENT_FIELDS).filter((name) => !DECLARABLE.includes(name))

/** Returns a client of a file; reports what cannot be declared to `fail`. */
export function declaredClient(
  { plan, call }: Calls,
  entry: Entry,
  label: string,
  fail: (problem: string) => void,
): Declared {
  const { index, client_id, client_secret, unread } = entry
  for (const name of OWN_FIELDS) {
    if (entry.set[name] !== undefined) fail(`${name} cannot be declared: redmint sets it`)
  }
  const declared = Object.entries(entry.set).filter(([name]) => DECLARABLE.includes(name))
  const { client_id: _, client_secret_hash, ...set } = Object.fromEntries(declared)
  // Of a secret in the file, the server makes the digest.
  const digest = client_secret === undefined ? client_secret_hash : undefined
  const body = (secret = client_secret) => ({
    ...givenToJson(CLIENT_FIELDS, set),
    ...present({ client_secret: secret }),
    managed_by: label,
  })
  const params = { client_id }
  const withDigest = (client_secret_hash: string, version?: string) => ({
    body: { client_id, client: body(), client_secret_hash, ...present({ version }) },
  })
  return {
    index,
    kind: 'client',
    name: client_id,
    unread,
    plan: async () =>
      digest === undefined
        ? plan('replace_client', { params, body: body() })
        : plan('declare_client', withDigest(digest)),
    write: (version, generated) =>
      digest === undefined
        ? call('replace_client', { params, body: body(generated), version })
        : call('declare_client', withDigest(digest, version)),
    shown(difference) {
      const has_secret = difference.some(({ field }) => field === 'client_secret')
      const fields = difference.filter(
        ({ field }) => !field.startsWith('client_secret') && !/^old_/.test(field),
      )
      const shown = shownDifferences(CLIENT_FIELDS, fields)
      return has_secret ? [{ field: 'secret' }, ...shown] : shown
    },
    // Not by the operation: whoever does not get its answer must know the secret of a client that may be written.
    secretFor: (difference) =>
      needsSecret(entry.set) && difference.some(({ field }) => field === 'client_secret')
        ? newSecret()
        : undefined,
  }
}
