import { readEnabledClient } from '../../clients/client-registry.ts'
import { noPreviewsOf } from '../../clients/previews/original.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Client } from '../../clients/record/client-record.ts'
import { hasScope } from '../../core/admin-scopes.ts'
import type { ClientId } from '../../core/ids.ts'
import { SILENT } from '../../core/log.ts'
import { recordOf } from '../../storage/records.ts'
import type { AdminCaller, AdminContext } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'

/**
 * Checks that a caller may make and end previews of a client. Who may write clients may do it for each; any other only where
 * the client by way of which it asks is named, and learns of other clients not even whether they exist.
 * @throws AdminError `lacks_right`; StorageUnavailable
 */
export async function assertMaker(
  { storage: { records }, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  client_id: ClientId,
): Promise<void> {
  if (mayWriteClients(caller)) return
  const original = recordOf(await records.read(CLIENT, client_id))
  if (original?.preview_makers?.includes(makerOf(caller))) return
  throw new AdminError(
    'lacks_right',
    `"${client_id}" does not name the client that asks in its preview_makers: an operator can add it there. Otherwise this needs redmint:clients:write.`,
    [],
    { received: { scopes: [...caller.scopes] }, expected: { scopes: ['redmint:clients:write'] } },
  )
}

/**
 * Returns a client of which the caller may make previews now.
 * @throws AdminError `lacks_right` or `conflict`; StorageUnavailable
 */
export async function readOriginal(
  context: Pick<AdminContext, 'storage' | 'settings' | 'caller' | 'now'>,
  client_id: ClientId,
): Promise<Client> {
  await assertMaker(context, client_id)
  const original = await readEnabledClient({ ...context, log: SILENT }, client_id)
  if (original === undefined)
    throw new AdminError('conflict', `There is no client "${client_id}" that is enabled and well-formed.`)
  const why = noPreviewsOf(original)
  if (why === undefined) return original
  throw new AdminError('conflict', `There are no previews of "${client_id}": ${why}.`)
}

const mayWriteClients = ({ kind, scopes }: AdminCaller) =>
  kind === 'command' || hasScope(scopes, 'redmint:clients:write')

const makerOf = ({ kind, id, client_id = '' }: AdminCaller) => (kind === 'client' ? id : client_id)
