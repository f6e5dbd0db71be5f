import type { Client } from '../../src/clients/record/client-record.ts'
import type { User } from '../../src/users/user-record.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'

/** Returns the client with this id. @throws ControlError if there is none that can be used; StorageUnavailable */
export async function clientNamed({ fastify }: DevParts, client_id: string): Promise<Client> {
  const client = await fastify.redmint.clients.find(client_id)
  if (client !== undefined) return client
  throw new ControlError(
    `There is no client ${client_id}, or it is disabled or malformed: name one of demo mode or of the seed.`,
    404,
  )
}

/** Returns the person with this username. @throws ControlError if there is none who can sign in; StorageUnavailable */
export async function userNamed({ fastify }: DevParts, username: string): Promise<User> {
  const user = await fastify.redmint.accounts.find(username)
  if (user !== undefined) return user
  throw new ControlError(
    `There is no user ${username}, or the account is disabled or malformed: name one of demo mode or of the seed.`,
    404,
  )
}
