// A service with whatever it takes to make every kind of token that redmint makes or reads.

import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { adminCalls } from '../admin.ts'
import { asker, BANK } from '../asks.ts'
import { DEVICES, deviceOf } from '../device.ts'
import { makeDpopKey } from '../dpop.ts'
import { storeChain } from '../exchange.ts'
import { AGENT, startIssuing } from '../identity.ts'
import { changeClient, changeUser, createClient } from '../records.ts'
import { requestUrl, signInAndAgree } from '../scene/requests.ts'
import { basic, CLIENTS, codeRequest } from '../service.ts'
import { issuerKey, JWT_BEARER, keySetOf, trust } from '../trusted-issuer.ts'
import { asDeparture } from '../visitor.ts'

/** Issuers that are trusted: one of workloads, and one whose identity assertions count. */
export const CI = 'https://ci.example.com'
export const IDP = 'https://idp.example.com'

export type City = Awaited<ReturnType<typeof startCity>>

/** Starts the service, in which alice has signed in with a browser. */
export async function startCity(t: Test, access_token_format: AccessTokenFormat) {
  const service = await startIssuing(t, {
    access_token_format,
    trusted_issuers: true,
    receive_signals: 'on',
    client_registration: 'invitation',
    admin_api: 'on',
    ask_people: 'on',
    bearer_check_revocation: true,
  })
  const { storage } = service
  await storeChain(storage)
  const key = issuerKey()
  for (const issuer of [CI, IDP])
    await trust(storage, key, { issuer, signals: true, ...(issuer === IDP && { profile: 'id-jag' }) })
  const { client_secret_hash: _, ...open } = AGENT
  const keyed = {
    ...{
      ...open,
      client_id: 'keyed',
      jwks: keySetOf(key),
      token_endpoint_auth_method: 'private_key_jwt' as const,
    },
    allowed_scopes: ['openid', 'api.read'],
    grant_types: ['authorization_code', 'client_credentials'],
  } as const
  const reader = { ...CLIENTS.web, client_id: 'reader', grant_types: [JWT_BEARER] } as const
  const gateway = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }
  for (const client of [keyed, reader, gateway, DEVICES.printer, BANK])
    await createClient(storage, client.client_id, formatClient(client))
  const allowed_scopes = 'openid offline_access profile api.read api.write'
  for (const client_id of ['agent', 'other'])
    await changeClient(storage, client_id, { set: { allowed_scopes } })
  await changeClient(storage, 'orders', { set: { assertion_issuer: CI } })
  await changeUser(storage, 'alice', { set: { linked_subjects: `${IDP}#00u1` } })
  await indexUser(storage, 'alice')
  const browser = service.visitor()
  await signInAndAgree(browser, { client_id: 'agent' })
  /** A new code, without a page. */
  const codeFor = async (given: Record<string, string> = {}) => {
    const asked = { client_id: 'agent', scope: 'openid offline_access api.read', ...given }
    return asDeparture(await browser.open(requestUrl(asked))).told.get('code') ?? ''
  }
  return {
    ...service,
    ...adminCalls(service),
    /** Signs the assertions of the issuers, and the requests and assertions of the client `keyed`. */
    key,
    dpop_key: makeDpopKey(),
    printer: deviceOf(service).printer,
    asker: asker(service),
    codeFor,
    async tokensFor(given: Record<string, string> = {}) {
      const { client_id = 'agent' } = given
      const code = codeRequest(await codeFor(given), { client_id })
      const { json, text } = await service.token(code, basic(client_id))
      if (json.access_token === undefined) throw new Error(text)
      return json as Record<'id_token' | 'access_token' | 'refresh_token', string>
    },
  }
}
