// Two servers of redmint: one issues identity assertions about its people, the other takes them.
import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import { ISSUER as KIND } from '../../src/issuers/issuer-kind.ts'
import { formatIssuer } from '../../src/issuers/issuer-record.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { indexUser } from '../../src/users/sign-in-names.ts'
import { formatUser } from '../../src/users/user-record.ts'
import { CHAT, CHAT_API, startIssuing } from './identity.ts'
import { createClient, createUser } from './records.ts'
import { basic, CLIENTS, ISSUER, startService } from './service.ts'
import { JWT_BEARER } from './trusted-issuer.ts'

/** The agent, as the other server knows it. */
export const AGENT_THERE: ClientDefinition = {
  ...CLIENTS.web,
  client_id: 'agent-there',
  allowed_scopes: ['chat.read', 'chat.write'],
  grant_types: [JWT_BEARER],
}

/** Starts both, of which the other one knows alice as chat-alice, by her sub here. */
export async function startBoth(t: Test) {
  const home = await startIssuing(t)
  const jwks = (await home.get('/.well-known/jwks.json')).text
  const chat = await startService(t, { issuer: CHAT, trusted_issuers: true, demo: false })
  const issuer = { issuer: ISSUER, profile: 'id-jag', jwks } as const
  await chat.storage.records.put({ kind: KIND, id: ISSUER, hash: formatIssuer(issuer) })
  await chat.storage.records.put({ kind: RESOURCE, id: CHAT_API, hash: { scopes: 'chat.read chat.write' } })
  await createClient(chat.storage, 'agent-there', formatClient(AGENT_THERE))
  const linked_subjects = [`${ISSUER}#sub-of-alice`]
  await createUser(
    chat.storage,
    'chat-alice',
    formatUser({ sub: 'alice-at-chat', linked_subjects, claims: {} }),
  )
  await indexUser(chat.storage, 'chat-alice')
  const present = (assertion: unknown, headers: Record<string, string> = {}) =>
    chat.token(
      { grant_type: JWT_BEARER, assertion: String(assertion) },
      { ...basic('agent-there'), ...headers },
    )
  return { home, chat, present }
}
