import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../../src/core/token-types.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import type { RecordStore, Storage } from '../../src/storage/storage.ts'
import type { Lifecycle, Start } from './lifecycle.ts'
import { changeClient, createClient } from './records.ts'
import { authorizationRequest, basic, CLIENTS, codeRequest, type TestOptions } from './service.ts'

export const ORDERS = 'https://orders.example'
export const BILLING = 'https://billing.example'
export const MAIL = 'https://mail.example'

const acting = (client_id: string): ClientDefinition => ({
  ...CLIENTS.service,
  client_id,
  client_name: `The API ${client_id}`,
  allowed_scopes: ['api.read', 'api.write'],
  grant_types: ['client_credentials', TOKEN_EXCHANGE],
  exchange_mode: 'delegate',
})

/** The clients that act: each is an API of the chain. `narrow` only gets narrower tokens of its own. */
export const ACTING_CLIENTS = {
  orders: acting('orders'),
  billing: acting('billing'),
  mail: acting('mail'),
} as const

const RESOURCES = {
  [ORDERS]: { scopes: 'api.read api.write', acting_clients: 'orders' },
  [BILLING]: { scopes: 'api.read api.write', acting_clients: 'billing' },
  [MAIL]: { scopes: 'api.read', acting_clients: 'mail' },
}

/** Starts a service in which the application `web` calls `orders`, that calls `billing`, and that `mail`. */
export async function startChain(start: Start, options: TestOptions = {}): Promise<Lifecycle> {
  const service = await start(options)
  await storeChain(service.storage)
  await changeClient(service.storage, 'web', {
    set: { allowed_scopes: 'openid offline_access api.read api.write' },
  })
  return service
}

/** Stores the APIs, and the clients that they are. */
export async function storeChain(storage: Storage): Promise<void> {
  for (const [id, hash] of Object.entries(RESOURCES)) await storage.records.put({ kind: RESOURCE, id, hash })
  for (const client of Object.values(ACTING_CLIENTS))
    await createClient(storage, client.client_id, formatClient(client))
}

/** Agent `n`, which is the API that a token of agent `n` - 1 is for, and may begin a chain anywhere if it is the first one. */
export const agent = (n: number) => `agent-${n}`
export const apiOf = (n: number) => `https://api-${n}.example`

/** Stores so many agents, and their APIs. @param fields of each client */
export async function storeAgents(
  storage: RecordStore,
  count: number,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await createClient(storage, agent(n), { ...formatClient(acting(agent(n))), ...fields })
    const hash = { scopes: 'api.read', acting_clients: `${agent(n)} ${agent(1)}` }
    await storage.records.put({ kind: RESOURCE, id: apiOf(n), hash })
  }
}

/** Signs alice in at `web` for an API, and returns the tokens. */
export async function signInFor(
  { get, token }: Pick<Lifecycle, 'get' | 'token'>,
  resource: string,
  scope = 'openid api.read api.write',
) {
  const request = authorizationRequest({ client_id: 'web', scope, resource })
  const { redirect } = await get(`/oauth2/authorize?${new URLSearchParams(request)}`)
  const { json } = await token(codeRequest(String(redirect.get('code')), { client_id: 'web' }), basic('web'))
  return json as Record<'access_token' | 'refresh_token' | 'id_token', string>
}

/** The parameters of an exchange for the API `billing`. */
export const exchangeForm = (subject_token: string) => ({
  grant_type: TOKEN_EXCHANGE,
  subject_token,
  subject_token_type: TOKEN_TYPE.access_token,
  resource: BILLING,
})

/** Exchanges a token as a client. `given` replaces parameters; undefined leaves one out. */
export async function exchangeAs(
  { token }: Pick<Lifecycle, 'token'>,
  client_id: string,
  subject_token: string,
  given: Record<string, string | undefined> = {},
) {
  const form: Record<string, string | undefined> = { ...exchangeForm(subject_token), ...given }
  const sent = Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return await token(Object.fromEntries(sent), basic(client_id))
}
