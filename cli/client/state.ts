import { forgetUses } from '../../src/clients/authentication/secret-uses.ts'
import { isClientIdUrl } from '../../src/clients/documents/client-id-url.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { formatClient } from '../../src/clients/record/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { describeEnded, endAllOfHolder, JWT_NOTE } from '../end-all.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { noSuchClient } from './show.ts'

type ClientContext = Pick<CommandContext, 'storage' | 'report'>

/**
 * The commands `client disable` and `client enable`. A client that a document describes has no record: disabling it writes
 * one, which counts instead of the document, and enabling it removes that one.
 * @throws Refusal if the client does not exist
 */
export async function setDisabled(
  { storage, report }: ClientContext,
  client_id: string,
  disabled: boolean,
): Promise<Report> {
  const before = (await storage.records.read(CLIENT, client_id))?.hash
  const is_refused_document = !disabled && isClientIdUrl(client_id) && before?.redirect_uris === ''
  if (is_refused_document) await storage.records.take(CLIENT, client_id)
  const change = disabled ? { set: { disabled: 'true' }, unset: [] } : { set: {}, unset: ['disabled'] }
  if (!is_refused_document && (await storage.records.change(CLIENT, client_id, change)) === 'missing') {
    const hash = formatClient({ ...REFUSED, client_id, client_name: client_id })
    if (!disabled || !isClientIdUrl(client_id)) throw noSuchClient(client_id)
    await storage.records.create({ kind: CLIENT, id: client_id, hash })
  }
  if (disabled !== (before?.disabled === 'true')) {
    report({ event: disabled ? 'client_disabled' : 'client_enabled', client_id })
  }
  return {
    text: disabled
      ? `The client is disabled. Servers refuse its codes and tokens until it is enabled. ${JWT_NOTE}`
      : 'The client is enabled. Its codes and tokens that have not expired are valid again.',
    json: { client_id, disabled },
  }
}

/** The record of a client that is refused whatever its document says. */
const REFUSED = {
  redirect_uris: [],
  allowed_scopes: [],
  grant_types: ['authorization_code'],
  is_public: true,
  disabled: true,
} as const

/**
 * The command `client remove`. It revokes the codes and tokens of the client, so that a new client of the same name does
 * not inherit them. The record is removed after them: if the command fails before, the client is disabled and the command
 * can be repeated.
 * @param expected a client whose fields have other values counts as missing
 * @throws Refusal if the client does not exist
 */
export async function removeClient(
  { storage, report }: ClientContext,
  client_id: string,
  expected: Hash = {},
): Promise<Report> {
  const before = (await storage.records.read(CLIENT, client_id))?.hash
  const disabled = { set: { disabled: 'true' }, unset: [], expected }
  if ((await storage.records.change(CLIENT, client_id, disabled)) === 'missing') throw noSuchClient(client_id)
  if (before?.disabled !== 'true') report({ event: 'client_disabled', client_id })
  const ended = await endAllOfHolder(storage, { client_id })
  await storage.records.take(CLIENT, client_id)
  report({ event: 'client_removed', client_id })
  // After the record: servers write uses of clients that exist.
  await forgetUses(storage, client_id)
  return {
    text: `The client is removed. ${describeEnded(ended)} ${JWT_NOTE}`,
    json: { client_id, removed: true, ended },
  }
}
