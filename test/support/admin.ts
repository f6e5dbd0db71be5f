// A service with the admin API, and callers with rights of choice.

import type { Test } from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { ADMIN_SCOPES } from '../../src/core/admin-scopes.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { newFamilyId, newToken } from '../../src/core/token-string.ts'
import { s256Challenge } from '../../src/tokens/pkce.ts'
import { PASSWORD, userRecord } from './accounts.ts'
import { createClient, createUser, saveCode } from './records.ts'
import {
  type Answer,
  basic,
  bearer,
  CLIENTS,
  ISSUER,
  REDIRECT_URI,
  type Service,
  startService,
  type TestOptions,
  VERIFIER,
} from './service.ts'

export const ADMIN = `${ISSUER}/admin/v1`
export { PASSWORD }

/** What a request to the admin API has. */
interface Call {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export interface AdminService extends Service {
  /** Calls the admin API: `/users`. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** A token of a new client for itself, with these scopes. */
  tokenOf(...scopes: readonly string[]): Promise<string>
  /** A token of a user by way of a client that may obtain everything; an empty `sid`: nobody has signed in. */
  tokenFor(username: string, scope: string, sid?: string): Promise<string>
}

/** The client by way of which people call. */
export const TOOL = {
  ...CLIENTS.app,
  client_id: 'tool',
  client_name: 'A tool of operators',
  allowed_scopes: ['openid', 'offline_access', 'api.read', ...ADMIN_SCOPES],
} as const

/** Stores a user with rights at the admin API. */
export async function createAdministrator(
  storage: Service['storage'],
  username: string,
  admin: string,
  fields: Hash = {},
): Promise<void> {
  await createUser(storage, username, { ...(await userRecord(`sub-of-${username}`)), admin, ...fields })
}

/** Starts a service with the admin API; closed with the test. */
export async function startAdmin(t: Test, options: TestOptions = {}): Promise<AdminService> {
  const service = await startService(t, { admin_api: 'on', demo: false, ...options })
  await createClient(service.storage, TOOL.client_id, formatClient(TOOL))
  return { ...service, ...adminCalls(service) }
}

/** Returns the calls of the admin API of a service. */
export function adminCalls(service: Service): Pick<AdminService, 'call' | 'tokenOf' | 'tokenFor'> {
  const { storage } = service
  let clients = 0
  return {
    call(method, path, { token, body, headers = {} } = {}) {
      const payload = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
      return service.request({
        method: method as 'GET',
        url: `/admin/v1${path}`,
        headers: {
          ...(token && bearer(token)),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload !== undefined && { payload }),
      })
    },
    async tokenOf(...scopes) {
      clients += 1
      const client_id = `operator-${clients}`
      const client = { ...CLIENTS.service, client_id, allowed_scopes: scopes }
      await createClient(storage, client_id, formatClient(client))
      const form = { grant_type: 'client_credentials', resource: ADMIN }
      return String((await service.token(form, basic(client_id))).json.access_token)
    },
    async tokenFor(username, scope, sid = 'a session') {
      const { client_id } = TOOL
      const code = newToken(newFamilyId())
      const hash = (
        await storage.records.read({ name: 'user', parse: () => ({ ok: false, problems: [] }) }, username)
      )?.hash
      await saveCode(
        storage,
        code,
        {
          client_id,
          redirect_uri: REDIRECT_URI,
          code_challenge: s256Challenge(VERIFIER),
          scope,
          subject: hash?.sub ?? '',
          username,
          ...(sid !== '' && { sid }),
          auth_time: 1_700_000_000,
          resource: ADMIN,
        },
        60,
      )
      const form = {
        grant_type: 'authorization_code',
        client_id,
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: VERIFIER,
        resource: ADMIN,
      }
      return String((await service.token(form)).json.access_token)
    },
  }
}
