import type { Desk } from '../desk.ts'
import type { ShownClient } from './application-kind.ts'

/** So many are offered where an application is asked for. */
const OFFERED = '100'

/** The first applications, and whether they are all; none if the operator may not see them. @throws StorageUnavailable */
export async function knownApplications(
  desk: Desk,
): Promise<{ readonly items: readonly ShownClient[]; readonly is_whole: boolean }> {
  if (!desk.may('list_clients')) return { items: [], is_whole: false }
  const { body } = await desk.ask('list_clients', { query: { limit: OFFERED } })
  return { items: body.items, is_whole: body.next === undefined }
}

/** An application as a choice: its client id, and what people call it. */
export const namedOption = ({ client_id, client_name }: ShownClient): readonly [id: string, name: string] => [
  client_id,
  client_name || client_id,
]
