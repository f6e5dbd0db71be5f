// A server for development, with an application, a service and an API, as tests of applications start it.
import type { Test } from 'tap'
import { type Redmint, type StartOptions, startRedmint } from '../../exports/testing.ts'
import { PAYMENT_SCHEMA } from './details.ts'

export const SHOP = 'shop'
export const SHOP_CALLBACK = 'https://shop.example.com/callback'
export const BATCH = 'batch'
export const BATCH_SECRET = 'a-secret-of-a-service-that-only-tests-know'
export const ORDERS = 'https://orders.example.com'
export const TV = 'tv'

export const SEED = {
  clients: [
    {
      client_id: SHOP,
      redirect_uris: [SHOP_CALLBACK],
      allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'orders.read'],
      grant_types: ['authorization_code', 'refresh_token'],
      is_public: true,
      logout_ends_tokens: true,
    },
    {
      client_id: BATCH,
      client_secret: BATCH_SECRET,
      redirect_uris: [],
      allowed_scopes: ['orders.read', 'orders.write'],
      grant_types: ['client_credentials'],
      is_public: false,
      can_introspect: true,
    },
    {
      client_id: TV,
      redirect_uris: [],
      allowed_scopes: ['openid', 'orders.read'],
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
      is_public: true,
    },
  ],
  resources: [{ resource: ORDERS, scopes: ['orders.read', 'orders.write'], access_token_format: 'jwt' }],
}

export const BILLING = 'https://billing.example.com'
export const MAIL = 'https://mail.example.com'
/** With APIs that call each other for a person, `orders-api` first, and payments that the person allows. */
export const ACTING_SEED = {
  clients: [
    ...SEED.clients.map((client) =>
      client.client_id === SHOP ? { ...client, authorization_details_types: ['payment'] } : client,
    ),
    ...['orders-api', 'billing-api'].map((client_id) => ({
      ...{ client_id, client_secret: BATCH_SECRET, redirect_uris: [], allowed_scopes: ['orders.read'] },
      grant_types: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      exchange_mode: 'delegate',
      authorization_details_types: ['payment'],
    })),
  ],
  resources: [
    ...SEED.resources.map((resource) => ({ ...resource, acting_clients: ['orders-api'] })),
    { resource: BILLING, scopes: ['orders.read'], acting_clients: ['billing-api'] },
    { resource: MAIL, scopes: ['orders.read'], access_token_format: 'jwt' },
  ],
  detail_types: [
    {
      detail_type: 'payment',
      schema: PAYMENT_SCHEMA,
      text: { en: 'Pay {amount} {currency} to {creditor}', de: '{amount} {currency} an {creditor} zahlen' },
    },
  ],
}

/** Starts a server for development, which is closed with the test. */
export async function startDev(t: Test, options: StartOptions = {}): Promise<Redmint> {
  const redmint = await startRedmint({ seed: SEED, ...options })
  t.teardown(() => redmint.close())
  return redmint
}

/** Sends a form to an endpoint. */
export function postForm(
  { issuer }: Pick<Redmint, 'issuer'>,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(issuer + path, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
    redirect: 'manual',
  })
}

/** Asks for the userinfo with an access token. */
export function userinfo({ issuer }: Pick<Redmint, 'issuer'>, access_token: string): Promise<Response> {
  return fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
}

const BASIC = { authorization: `Basic ${Buffer.from(`${BATCH}:${BATCH_SECRET}`).toString('base64')}` }

/** Asks the server what a token is. */
export async function introspect(
  redmint: Pick<Redmint, 'issuer'>,
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await postForm(redmint, '/oauth2/introspect', { token }, BASIC)
  return (await answer.json()) as Record<string, unknown>
}

/** Uses a refresh token of the application. */
export function refresh(redmint: Pick<Redmint, 'issuer'>, refresh_token = ''): Promise<Response> {
  return postForm(redmint, '/oauth2/token', { grant_type: 'refresh_token', client_id: SHOP, refresh_token })
}

/** Gets a token of the service. */
export function clientToken(redmint: Pick<Redmint, 'issuer'>): Promise<Response> {
  return postForm(redmint, '/oauth2/token', { grant_type: 'client_credentials' }, BASIC)
}
