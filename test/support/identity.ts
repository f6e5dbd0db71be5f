// A service whose people use an agent at another server, and the agent that asks for identity assertions.
import type { Test } from 'tap'
import {
  APPLICATION,
  type ApplicationDefinition,
  formatApplication,
} from '../../src/applications/application-record.ts'
import type { ClientDefinition } from '../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../../src/core/token-types.ts'
import { signInAndAgree } from './scene/requests.ts'
import { type Given, scene } from './scene.ts'
import { basic, CLIENTS, codeRequest, type Service } from './service.ts'
import type { Visitor } from './visitor.ts'

/** The issuer of the other server, and an API there. */
export const CHAT = 'https://chat.example'
export const CHAT_API = 'https://api.chat.example/v1'

/** An agent that people sign in to; at the other server it is `agent-there`. */
export const AGENT = {
  ...CLIENTS.web,
  client_id: 'agent',
  client_name: 'Agent',
  allowed_scopes: ['openid', 'offline_access', 'profile'],
  grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
  first_party: true,
} as const satisfies ClientDefinition

/** Another one, which nothing allows to ask. */
const OTHER = { ...AGENT, client_id: 'other', client_name: 'Other' } as const

const RECORD: ApplicationDefinition = {
  application: CHAT,
  clients: ['agent=agent-there'],
  resources: [CHAT_API],
  scopes: ['chat.read', 'chat.write'],
}

/** Starts a service with the agents and the record of the other server. */
export async function startIssuing(
  t: Test,
  { record, ...given }: Given & { readonly record?: Partial<ApplicationDefinition> } = {},
) {
  const service = await scene(t, { ...given, clients: [AGENT, OTHER, ...(given.clients ?? [])] })
  const keep = (change: Partial<ApplicationDefinition>) =>
    service.storage.records.put({
      kind: APPLICATION,
      id: CHAT,
      hash: formatApplication({ ...RECORD, ...record, ...change }),
    })
  await keep({})
  return {
    ...service,
    /** Writes the record of the other server, with other values for some fields. */
    keep,
    /** Signs somebody in to a client, and returns its tokens. */
    async signInTo(
      visitor: Visitor,
      client_id = 'agent',
      scope = 'openid',
      username = 'alice',
      more: Record<string, string> = {},
    ) {
      const { told } = await signInAndAgree(visitor, { client_id, scope, ...more }, username)
      const code = codeRequest(told.get('code') ?? '', { client_id })
      const { json } = await service.token(code, basic(client_id))
      return json as Record<'id_token' | 'access_token' | 'refresh_token', string>
    },
  }
}

/** Asks for an identity assertion as a client. `given` replaces parameters; undefined leaves one out. */
export async function askAs(
  { token }: Pick<Service, 'token'>,
  client_id: string,
  subject_token: string,
  given: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
) {
  const form: Record<string, string | undefined> = {
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: TOKEN_TYPE.id_jag,
    subject_token,
    subject_token_type: TOKEN_TYPE.id_token,
    audience: CHAT,
    resource: CHAT_API,
    ...given,
  }
  const sent = Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return await token(Object.fromEntries(sent), { ...basic(client_id), ...headers })
}

export const OF_REFRESH = { subject_token_type: TOKEN_TYPE.refresh_token }
