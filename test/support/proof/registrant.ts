// A program that registers clients (RFC 7591), each for itself, and changes their registration (RFC 7592).
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { idOf } from '../../../src/clients/registration/initial-access-token.ts'
import { randomText } from '../../../src/core/token-string.ts'
import { APP } from '../registration.ts'
import { bearer, CLIENTS } from '../service.ts'
import { type Sending, type Server, send, type Way } from './client.ts'
import type { Action, Allowance, Entry, History } from './history.ts'

/** What a replica must be told so that clients can register with these proofs, and get tokens for its API. */
export const REGISTRATION = {
  client_registration: 'open',
  self_registered_scopes: ['openid', 'api.read', 'offline_access'],
} as const

/** A client as the answer to its registration has it. */
export interface Registered {
  readonly client_id: string
  readonly registration_access_token: string
}

/** Registers clients, and records its attempts. */
export class Registrant {
  readonly #history: History

  constructor(history: History) {
    this.#history = history
  }

  register(server: Server, allowance: Allowance, way?: Way): Promise<Entry> {
    const { invitation } = allowance
    const headers = invitation === undefined ? {} : bearer(invitation)
    const sending = { path: '/oauth2/register', json: APP, headers }
    return this.#attempt(server, { kind: 'register', allowance }, sending, way)
  }

  read(server: Server, client: Registered, way?: Way): Promise<Entry> {
    return this.#manage(server, client, {}, way)
  }

  /** Replaces the metadata of a client by those with which it registered, and this name. */
  rename(server: Server, client: Registered, client_name: string, way?: Way): Promise<Entry> {
    const { client_id } = client
    return this.#manage(server, client, { method: 'PUT', json: { ...APP, client_id, client_name } }, way)
  }

  #manage(
    server: Server,
    { client_id, registration_access_token }: Registered,
    sending: Omit<Sending, 'path'>,
    way?: Way,
  ): Promise<Entry> {
    const path = `/oauth2/register/${client_id}`
    const headers = bearer(registration_access_token)
    return this.#attempt(server, { kind: 'registration', client_id }, { ...sending, path, headers }, way)
  }

  #attempt(server: Server, action: Action, sending: Sending, way: Way = {}): Promise<Entry> {
    const { request = this.#history.newRequest(), honest = true } = way
    return this.#history.record(action, { server: server.name, request, honest }, () =>
      send(server.address, sending),
    )
  }
}

/** The client of an answered registration; undefined if it was refused. */
export function registeredBy({ outcome }: Entry): Registered | undefined {
  const { client_id, registration_access_token } = outcome
  if (client_id === undefined || registration_access_token === undefined) return undefined
  return { client_id, registration_access_token }
}

/** A client that registered itself, as the other requests of the proofs need it. */
export const definitionOf = ({ client_id }: Registered): ClientDefinition => ({ ...CLIENTS.app, client_id })

/** A new invitation, and the commands of Redis that write it. Nothing expires during a proof. */
export function newInvitation(prefix: string, clients: number) {
  const invitation = randomText(32)
  const key = `${prefix}invitation:${idOf(invitation)}`
  const commands: [name: string, ...args: string[]][] = [
    ['HSET', key, 'uses_left', String(clients), 'created_at', new Date().toISOString()],
    ['EXPIRE', key, '7200'],
  ]
  return { allowance: { invitation, clients }, key, commands }
}
