import { AdminError } from '../admin/operation/problem.ts'
import type { Desk } from './desk.ts'
import { calledOf } from './pages/person.ts'

/**
 * Returns what people call an application: its id if it has no name, or if the operator may not know.
 * @throws StorageUnavailable
 */
export async function applicationName(desk: Desk, client_id: string): Promise<string> {
  if (!desk.may('read_client')) return client_id
  const read = desk.ask('read_client', { params: { client_id } })
  return known(
    read.then(({ body }) => String(body.client_name || client_id)),
    client_id,
  )
}

/**
 * Returns what people call a person: the username if there is no name, or if the operator may not know. Only for a page that
 * shows the person anyway: that somebody looks is noted.
 * @throws StorageUnavailable
 */
export async function personName(desk: Desk, username: string): Promise<string> {
  if (!desk.may('read_user')) return username
  const read = desk.ask('read_user', { params: { username } })
  return known(
    read.then(({ body }) => calledOf(body)),
    username,
  )
}

/** The name, or the id of what has no record. */
async function known(name: Promise<string>, id: string): Promise<string> {
  try {
    return await name
  } catch (error) {
    if (error instanceof AdminError) return id
    throw error
  }
}
