// Two redmints in this process: one is the provider of the other one.
import type { Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'

import type { GuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import type { GetDocument } from '../../../src/outbound/public-get.ts'
import { callbackOf } from '../../../src/providers/callback.ts'
import { sealClientSecret } from '../../../src/providers/client-secret.ts'
import { formatProvider, PROVIDER, type ProviderDefinition } from '../../../src/providers/provider-record.ts'

import { signJwt } from '../../../src/tokens/jwt.ts'

import { RELYING_PARTIES } from '../accounts.ts'

import { requestUrl, signInOn, visitorOf } from '../scene/requests.ts'
import { scene } from '../scene.ts'
import { CLIENTS, ISSUER, SECRET, type TestOptions } from '../service.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../visitor.ts'

export const UPSTREAM = 'https://accounts.example.org'
const CLIENT_ID = 'redmint'
const AWAY = { ok: false, code: 'address', problem: 'is away', is_gone: false } as const

/** The browser of a person, at the service and at the provider. */
export interface Person {
  readonly here: Visitor
  readonly there: Visitor
}

/** What the provider does to a request and its body before it answers; a Response is its answer. */
export type Meddle = (url: URL, body: string) => Promise<Response | undefined>

/** What is made of the body of an answer of the provider. */
export type Rewrite = (url: URL, payload: string) => string

/**
 * Starts both. `record` is that of the provider `acme`; `meddle` may answer in place of the provider, whose settings are
 * `there`.
 */
export async function federate(
  t: Test,
  record: Partial<ProviderDefinition> = {},
  options: TestOptions = {},
  meddle: { now: Meddle; after?: Rewrite } = { now: async () => undefined },
  there: TestOptions = {},
) {
  const upstream = await scene(t, { issuer: UPSTREAM, ...there })
  /** What the provider answered to redmint. */
  const said: string[] = []
  const fetch: GuardedFetch = async (text, { method, headers, body }) => {
    const url = new URL(text)
    const answered = await meddle.now(url, String(body ?? ''))
    if (answered !== undefined) return answered
    if (url.origin !== UPSTREAM) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
    const answer = await upstream.fastify.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: url.pathname + url.search,
      headers: { ...Object.fromEntries(new Headers(headers)) },
      ...(body !== undefined && body !== null && { payload: String(body) }),
    })
    const payload = meddle.after?.(url, answer.payload) ?? answer.payload
    said.push(payload)
    const kept = Object.entries(answer.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    )
    return new Response(payload, { status: answer.statusCode, headers: kept })
  }
  let is_away = false
  const fetch_key_set: GetDocument = async (url) => {
    if (is_away) return AWAY
    const { payload } = await upstream.fastify.inject(new URL(url).pathname)
    const document = JSON.parse(payload.replaceAll(UPSTREAM, new URL(url).origin))
    return { ok: true, document, headers: {} }
  }
  const given = { sign_in: 'providers', provider_fetch: fetch, fetch_key_set, ...options } as const
  const service = await scene(t, given)
  const { redmint } = service
  await upstream.storage.records.put({
    kind: CLIENT,
    id: CLIENT_ID,
    hash: formatClient({
      ...CLIENTS.web,
      client_id: CLIENT_ID,
      redirect_uris: ['acme', 'other'].map((name) => callbackOf({ issuer: ISSUER }, name)),
      allowed_scopes: RELYING_PARTIES.shop.allowed_scopes,
      grant_types: ['authorization_code'],
      first_party: true,
    }),
  })
  /** Writes the record of a provider. */
  const provide = async (provider: string, more: Partial<ProviderDefinition> = {}) => {
    const definition = { provider, kind: 'oidc', issuer: UPSTREAM, client_id: CLIENT_ID, ...more } as const
    const client_secret_sealed = await sealClientSecret(redmint, definition, SECRET)
    const hash = formatProvider({ ...definition, client_secret_sealed })
    await service.storage.records.put({ kind: PROVIDER, id: provider, hash })
  }
  await provide('acme', record)
  await service.setFields('alice', {})
  return {
    ...service,
    upstream,
    fetch,
    said,
    /** From now on its key set cannot be fetched. */
    leave: () => {
      is_away = true
    },
    provide,
    /** Opens the page of the accounts elsewhere, and confirms who it is. */
    async own({ here }: Person, username = 'alice') {
      const found = await here.page('/account/providers')
      return found.text.includes('name="password"') ? asPage(await signInOn(here, found, username)) : found
    },
    /** A browser of a person at both. */
    person: (): Person => ({
      here: service.visitor(),
      there: visitorOf(() => upstream.fastify, UPSTREAM),
    }),
  }
}

/** Presses the button of a provider on the sign-in page. */
export async function leave(person: Person, provider = 'acme', url = requestUrl({ client_id: 'own' })) {
  const page = await person.here.page(url)
  return asDeparture(await person.here.submit(page, { method: `provider:${provider}` }))
}

/** Signs in at the provider, and returns the address that it sends the browser back to. */
export async function signInThere(
  { there }: Person,
  { location }: Departure,
  username = 'alice',
): Promise<string> {
  const found = await there.open(location.pathname + location.search)
  const gone = 'location' in found ? found : asDeparture(await signInOn(there, asPage(found), username))
  return gone.location.pathname + gone.location.search
}

/** The whole way by a provider. */
export async function comeBy(
  person: Person,
  username = 'alice',
  provider = 'acme',
): Promise<Page | Departure> {
  return person.here.open(await signInThere(person, await leave(person, provider), username))
}

/** The claims of an id_token in the answer of a token endpoint, with some changed, signed again. */
export function withClaims(
  payload: string,
  key: Parameters<typeof signJwt>[0],
  change: Readonly<Record<string, unknown>>,
): string {
  const { id_token, ...more } = JSON.parse(payload)
  const [, claims = ''] = String(id_token).split('.')
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...change }
  return JSON.stringify({ ...more, id_token: signJwt(key, 'JWT', changed) })
}
