// Who asks a server: an application with rights at the admin API, an operator in the console, an application for tokens.
import { formatClient } from '../../src/clients/record/client-record.ts'
import { secretHash } from '../../src/clients/record/client-secret.ts'
import { ADMIN_SCOPES } from '../../src/core/admin-scopes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createAdministrator } from '../../test/support/admin.ts'
import { createClient } from '../../test/support/records.ts'
import { signInOn } from '../../test/support/scene/requests.ts'
import { basic, SECRET } from '../../test/support/service.ts'
import { asPage, type Visitor } from '../../test/support/visitor.ts'
import { CLIENT } from '../client.ts'
import { visitorAt } from '../visitor-at.ts'
import type { Server } from './place.ts'

const OPERATOR = 'redmint:read redmint:write'
let made = 0

/** Makes a client for itself, and returns its client_id. */
export async function makeClient(storage: Storage, allowed_scopes: readonly string[]): Promise<string> {
  made += 1
  const client_id = `scale-${made}`
  const client = {
    ...CLIENT,
    client_id,
    client_secret_hash: secretHash(SECRET),
    allowed_scopes: [...allowed_scopes],
  }
  await createClient(storage, client_id, formatClient(client))
  return client_id
}

/** An answer of the admin API. */
interface Answer {
  readonly status: number
  readonly etag: string | null
  /** Where the next page begins; absent: it is no page, or the last one. */
  readonly next: string | undefined
}

/** Calls the admin API with all rights. @throws Error if the answer is a refusal */
export type CallAdmin = (method: string, path: string, headers?: Record<string, string>) => Promise<Answer>

/** Returns a caller of the admin API; one may not ask too often. */
export async function adminOf(storage: Storage, { address, issuer }: Server): Promise<CallAdmin> {
  const client_id = await makeClient(storage, ADMIN_SCOPES)
  const answer = await fetch(`${address}/oauth2/token`, {
    method: 'POST',
    headers: { ...basic(client_id), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${issuer}/admin/v1` }),
  })
  const told = (await answer.json()) as { access_token?: string }
  const { access_token } = told
  if (access_token === undefined)
    throw new Error(`no token for the admin API: ${answer.status} ${JSON.stringify(told)}`)
  return async (method, path, headers = {}) => {
    const {
      status,
      headers: told,
      ...answer
    } = await callAt(`${address}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, ...headers },
    })
    if (status >= 300) throw new Error(`${method} ${path} is answered ${status}: ${answer.text}`)
    const { next } = JSON.parse(answer.text || '{}') as { next?: string }
    return { status, etag: told.get('etag'), next }
  }
}

async function callAt(url: string, request: RequestInit) {
  const answer = await fetch(url, request)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Signs an operator in at the console. */
export async function operatorOf(storage: Storage, { address }: Server): Promise<Visitor> {
  made += 1
  const name = `operator-${made}`
  await createAdministrator(storage, name, OPERATOR)
  const visitor = visitorAt(address)
  asPage(await signInOn(visitor, await visitor.page('/console'), name))
  return visitor
}
