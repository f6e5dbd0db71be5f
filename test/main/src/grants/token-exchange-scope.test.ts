// What a derived token may do is within the subject token, the client and the resource, and never lasts longer.

import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import {
  ACTING_CLIENTS,
  BILLING,
  exchangeAs,
  MAIL,
  ORDERS,
  signInFor,
  startChain,
} from '../../../support/exchange.ts'
import { forEachService } from '../../../support/lifecycle.ts'
import { changeClient, createClient } from '../../../support/records.ts'
import { bearer, ISSUER } from '../../../support/service.ts'

const MEMORY = ['memory'] as const
const OPAQUE = ['opaque'] as const
const NAMES = ['api.read', 'api.write'] as const
const PARTS: readonly (readonly string[])[] = [[], ['api.read'], ['api.write'], NAMES]

/** What a request asks for: nothing, each part, and what no derived token has. */
const ASKED: readonly (readonly string[] | undefined)[] = [
  undefined,
  ...PARTS.slice(1),
  ['openid'],
  ['api.read', 'offline_access'],
  ['api.read', 'admin'],
]

forEachService(
  'T2: a scope is within subject, client and resource in all combinations',
  async (t, start) => {
    const service = await startChain(start)
    const { storage } = service
    const subjects = new Map<string, string>()
    for (const part of PARTS) {
      const scope = ['openid', 'offline_access', ...part].join(' ')
      subjects.set(part.join(' '), (await signInFor(service, ORDERS, scope)).access_token)
    }
    let granted = 0
    for (const client of PARTS.slice(1)) {
      const allowed_scopes = ['openid', 'offline_access', ...client].join(' ')
      await changeClient(storage, 'orders', { set: { allowed_scopes } })
      for (const resource of PARTS.slice(1)) {
        const hash = { scopes: resource.join(' '), acting_clients: 'billing' }
        await storage.records.put({ kind: RESOURCE, id: BILLING, hash })
        const none = !client.some((name) => resource.includes(name))
        for (const subject of PARTS) {
          const most = NAMES.filter((name) =>
            [client, resource, subject].every((part) => part.includes(name)),
          )
          for (const asked of ASKED) {
            const given = asked && { scope: asked.join(' ') }
            const { status, json } = await exchangeAs(
              service,
              'orders',
              subjects.get(subject.join(' ')) ?? '',
              given,
            )
            const wanted = asked ?? most
            const may = wanted.length > 0 && wanted.every((name) => most.some((one) => one === name))
            const expected = may ? [200, wanted.join(' ')] : [400, none ? 'invalid_target' : 'invalid_scope']
            const text = `client ${client}, resource ${resource}, subject ${subject}, asked ${asked}`
            t.strictSame([status, json.scope ?? json.error], expected, text)
            if (may) granted += 1
          }
        }
      }
    }
    t.ok(granted > 20, `${granted} were granted`)
  },
  OPAQUE,
  MEMORY,
)

forEachService(
  'nobody acts for a person at this server itself, and its own client gets a narrower token for it',
  async (t, start) => {
    const service = await startChain(start, { admin_api: 'on' })
    const { access_token } = await signInFor(service, ORDERS)
    const refused = { status: 400, json: { error: 'invalid_target', access_token: undefined } }
    for (const own of [ISSUER, `${ISSUER}/`, `${ISSUER}/api`, `${ISSUER}/admin/v1`])
      t.match(await exchangeAs(service, 'orders', access_token, { resource: own }), refused, own)
    await changeClient(service.storage, 'web', {
      set: { grant_types: `authorization_code ${TOKEN_EXCHANGE}`, exchange_mode: 'narrow' },
    })
    const narrow = { resource: `${ISSUER}/api`, scope: 'api.read' }
    const { json } = await exchangeAs(service, 'web', access_token, narrow)
    const { status } = await service.get('/api/resource', bearer(String(json.access_token)))
    t.equal(status, 200)
  },
  undefined,
  MEMORY,
)

forEachService(
  'T3: no token lasts longer than the first one, however often and at whatever time it is exchanged',
  async (t, start, _place, format) => {
    const service = await startChain(start, { access_token_ttl: 200 })
    const { advance, storage } = service
    if (advance === undefined) throw new TypeError('the clock of memory can be moved')
    const last = 'https://archive.example'
    await storage.records.put({
      kind: RESOURCE,
      id: MAIL,
      hash: { scopes: 'api.read', acting_clients: 'mail' },
    })
    await storage.records.put({ kind: RESOURCE, id: last, hash: { scopes: 'api.read' } })
    await createClient(storage, 'agent', formatClient({ ...ACTING_CLIENTS.mail, client_id: 'agent' }))
    const { access_token } = await signInFor(service, ORDERS)
    const endOf = async (token: string) => Number((await service.introspect('gateway', token)).json.exp)
    const first = await endOf(access_token)
    for (const steps of [
      [0, 0, 0, 0],
      [40, 40, 40, 40],
      [-100, 20, -60, 100],
    ]) {
      let token = access_token
      const hops = [
        ['orders', BILLING],
        ['billing', MAIL],
        ['mail', last],
      ] as const
      for (const [i, [client, resource]] of hops.entries()) {
        advance(steps[i] ?? 0)
        const { status, json, text } = await exchangeAs(service, client, token, { resource })
        t.equal(status, 200, text)
        token = String(json.access_token)
        const end = await endOf(token)
        t.ok(end <= first, `${format}, ${steps}, depth ${i + 1}: ${end - first}`)
        t.ok(Number(json.expires_in) <= 200)
      }
      const back = steps.slice(0, hops.length).reduce((sum, step) => sum + step, 0)
      advance(-back)
    }
    advance(199)
    const { json } = await exchangeAs(service, 'orders', access_token)
    t.ok(Number(json.expires_in) <= 1, 'in its last second')
    advance(2)
    t.match(await exchangeAs(service, 'orders', access_token), {
      status: 400,
      json: { error: 'invalid_request' },
    })
  },
  undefined,
  MEMORY,
)

forEachService(
  'T3: a client narrows its own token again and again, and gains no time',
  async (t, start) => {
    const service = await startChain(start, { access_token_ttl: 100, exchanged_token_ttl: 60 })
    await changeClient(service.storage, 'orders', { set: { exchange_mode: 'narrow' } })
    await changeClient(service.storage, 'web', {
      set: {
        exchange_mode: 'narrow',
        grant_types: 'authorization_code urn:ietf:params:oauth:grant-type:token-exchange',
      },
    })
    const { access_token } = await signInFor(service, ORDERS)
    t.match(
      await exchangeAs(service, 'orders', access_token),
      { status: 400, json: { error: 'invalid_request' } },
      'a token of another client is not narrowed',
    )
    const ends: number[] = []
    let token = access_token
    for (let depth = 1; depth <= 4; depth++) {
      const { status, json } = await exchangeAs(service, 'web', token, { scope: 'api.read' })
      t.match(
        { status, json },
        { status: 200, json: { scope: 'api.read', issued_token_type: TOKEN_TYPE.access_token } },
      )
      token = String(json.access_token)
      const seen = (await service.introspect('gateway', token)).json
      t.match(seen, { client_id: 'web', sub: 'alice', act: undefined, aud: BILLING })
      ends.push(Number(seen.exp))
      service.advance?.(10)
    }
    t.ok(
      ends.every((end) => end <= (ends[0] ?? 0)),
      `${ends}`,
    )
    t.match(await exchangeAs(service, 'web', token, { scope: 'api.read' }), {
      status: 400,
      json: { error: 'invalid_request', error_description: /4 times/ },
    })
  },
  undefined,
  MEMORY,
)
