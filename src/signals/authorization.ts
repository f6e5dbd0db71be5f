import type { ClientId } from '../core/ids.ts'
import { LastingKey, type LastingKeyContext } from '../keys/lasting-key.ts'
import type { PushDelivery } from './stream-record.ts'

/** Seals what receivers gave for the header Authorization. */
const KEY = new LastingKey('set-key', 'authorization')

/** Whom it was given by, and where it is sent: to no other address. */
interface Owner {
  readonly client_id: ClientId
  readonly endpoint_url: string
}

const ownerOf = ({ client_id, endpoint_url }: Owner) =>
  encodeURIComponent(JSON.stringify([client_id, endpoint_url]))

/** Seals the value of a header for the record of a stream. @throws as LastingKey */
export function sealAuthorization(context: LastingKeyContext, owner: Owner, header: string): Promise<string> {
  return KEY.seal(context, ownerOf(owner), Buffer.from(header))
}

/** Opens the value of the header for a receiver; undefined: it has none, or its key is gone. @throws as LastingKey */
export async function openAuthorization(
  context: LastingKeyContext,
  client_id: ClientId,
  { endpoint_url, authorization_sealed }: PushDelivery,
): Promise<string | undefined> {
  if (authorization_sealed === undefined) return undefined
  return (await KEY.open(context, ownerOf({ client_id, endpoint_url }), authorization_sealed))?.toString()
}
