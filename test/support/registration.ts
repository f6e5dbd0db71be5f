// A service at which clients register themselves, and a client that does.

import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import type { TestOptions } from './service.ts'
import { bearer, codeRequest, REDIRECT_URI, startService } from './service.ts'

/** What the tests read of client information. */
export interface Information {
  readonly client_id: string
  readonly client_secret?: string
  readonly registration_access_token: string
  readonly registration_client_uri: string
  readonly scope: string
  readonly error?: string
  readonly error_description?: string
  readonly [member: string]: unknown
}

/** The metadata of a public client. */
export const APP = {
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  client_name: 'Notes',
}

const START = 1_795_000_000_000
export const DAY = 86_400

/** Starts a service with registration by anybody, in memory unless `options` have a storage, and with a clock to move. */
export async function startRegistration(t: Test, options: TestOptions = {}) {
  let time = START
  const now = () => time
  const storage = options.storage ?? new MemoryStorage({ now })
  const service = await startService(t, { client_registration: 'open', now, ...options, storage })
  const send = async (request: InjectOptions) => {
    const response = await service.fastify.inject(request)
    const text = response.body
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      json: (text === '' ? {} : response.json()) as Information,
    }
  }
  const path = ({ registration_client_uri }: Information) => new URL(registration_client_uri).pathname
  const own = ({ registration_access_token }: Information) => bearer(registration_access_token)
  return {
    ...service,
    now,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
    register: (metadata: object, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
      send({ method: 'POST', url: '/oauth2/register', payload: metadata, headers, remoteAddress }),
    send,
    read: (client: Information, headers = own(client)) => send({ method: 'GET', url: path(client), headers }),
    change: (client: Information, metadata: object, headers = own(client)) =>
      send({ method: 'PUT', url: path(client), headers, payload: metadata }),
    remove: (client: Information, headers = own(client)) =>
      send({ method: 'DELETE', url: path(client), headers }),
    /** Signs a user in, and redeems the code; a client with a secret sends it in the form. */
    async signIn({ client_id, client_secret }: Information, scope = 'openid') {
      const code = await service.code({ client_id, scope })
      const secret = client_secret === undefined ? {} : { client_secret }
      return service.token(codeRequest(code, { client_id, ...secret }))
    },
  }
}
