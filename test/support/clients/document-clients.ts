// A service that takes metadata documents, and the host that serves them.
import type { Test } from 'tap'
import { type Fetched, type FetchFailure, fetchFailure } from '../../../src/outbound/public-get.ts'
import { requestUrl, signInOn } from '../scene/requests.ts'
import { type Given, scene } from '../scene.ts'
import { codeRequest } from '../service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../visitor.ts'

export const CLIENT_URL = 'https://tool.example.net/oauth/client.json'
export const CALLBACK = 'https://tool.example.net/callback'

/** A document that is accepted. */
export const DOCUMENT = {
  client_id: CLIENT_URL,
  client_name: 'Example Tool',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

export const AWAY = fetchFailure('network', 'could not be fetched (ECONNREFUSED)')
export const GONE = fetchFailure('status', 'was answered with status 404, not 200', true)

/** A document as it is fetched, fresh for a minute. */
export const fetched = (document: Record<string, unknown>): Fetched => ({
  ok: true,
  document,
  headers: { 'cache-control': 'max-age=60' },
})

type Answer = Fetched | FetchFailure

/** Starts the service. `host.answer` is what the host of every client says; `host.asked` are the URLs. */
export async function startWithDocuments(t: Test, options: Given = {}) {
  const host = {
    asked: [] as string[],
    answer: (_url: string): Answer | Promise<Answer> => fetched(DOCUMENT),
  }
  const service = await scene(t, {
    client_id_metadata: 'all',
    self_registered_scopes: ['openid', 'profile', 'email', 'offline_access'],
    get_document: async (url) => {
      host.asked.push(url)
      return host.answer(url)
    },
    ...options,
  })
  return { ...service, host }
}

/** The parameters of an authorization request by the client of the document that differ from the usual ones. */
export const DOCUMENT_REQUEST = { client_id: CLIENT_URL, redirect_uri: CALLBACK, scope: 'openid' }

/** The address of an authorization request by the client of the document. */
export const documentRequest = (overrides: Record<string, string | undefined> = {}) =>
  requestUrl({ ...DOCUMENT_REQUEST, ...overrides })

/** Opens a request and signs in. Returns the consent page. */
export async function askConsent(visitor: Visitor, overrides: Record<string, string | undefined> = {}) {
  return asPage(await signInOn(visitor, await visitor.page(documentRequest(overrides))))
}

/** Allows what a consent page asks for. Returns the code. */
export async function allow(visitor: Visitor, page: Page): Promise<string> {
  return String(asDeparture(await visitor.submit(page, { decision: 'allow' })).told.get('code'))
}

/** The token request for a code of the client. */
export const redeem = (code: string, overrides: Record<string, string> = {}) =>
  codeRequest(code, { client_id: CLIENT_URL, redirect_uri: CALLBACK, ...overrides })
