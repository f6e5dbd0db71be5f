// A person at an application that calls APIs, which act for the person.
import type { Test } from 'tap'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { BILLING, exchangeAs, ORDERS, storeChain } from './exchange.ts'
import { changeClient } from './records.ts'
import { type Given, scene } from './scene.ts'
import { basic, CLIENTS } from './service.ts'
import type { Visitor } from './visitor.ts'

const GATEWAY = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }

/** Alice at an application that calls the API `orders`, which calls `billing`, and that `mail`. */
export async function actingScene(t: Test, options: Given = {}) {
  const given = await scene(t, { clients: [GATEWAY], ...options })
  const { storage, visitor, arrive, afterPassword, redeem } = given
  await storeChain(storage)
  await changeClient(storage, 'own', { set: { allowed_scopes: 'openid api.read api.write' } })
  await storage.records.put({
    kind: RESOURCE,
    id: BILLING,
    hash: { resource_name: 'Invoices', acting_clients: 'billing' },
  })
  const alice = visitor()
  await arrive(alice, '/account')
  const signIn = async (): Promise<string> => {
    const asked = { scope: 'openid api.read api.write', resource: ORDERS }
    const { json } = await redeem(await afterPassword(visitor(), asked))
    return String(json.access_token)
  }
  const exchange = async (client_id: string, token: string, resource = BILLING) =>
    exchangeAs(given, client_id, token, { resource })
  const acting = async (browser: Visitor = alice) => {
    const { text, hidden } = await browser.page('/account')
    const section = /<section class="panel" id="acting".*?<\/section>/s.exec(text)?.[0]
    return {
      section,
      csrf: hidden.csrf ?? '',
      words: (section ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    }
  }
  const end = async (client_id: string) =>
    alice.post('/account/end-application', { csrf: (await acting()).csrf, client_id })
  const active = async (...tokens: unknown[]) =>
    Promise.all(
      tokens.map(
        async (one) =>
          (await given.post('/oauth2/introspect', { token: String(one) }, basic('gateway'))).json.active,
      ),
    )
  return { ...given, alice, signIn, exchange, acting, end, active }
}
