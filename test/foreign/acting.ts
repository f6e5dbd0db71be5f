// An API that `client add --for acting-api` registered, and a token of alice that it is called with.
import type { Test } from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { newFamilyId, newToken } from '../../src/core/token-string.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { s256Challenge } from '../../src/tokens/pkce.ts'
import type { Stage } from '../support/browser/stage.ts'
import { BILLING } from '../support/exchange.ts'
import { createClient, saveCode } from '../support/records.ts'
import { redisStorage } from '../support/redis-storage.ts'
import { visit } from '../support/server.ts'
import { basic, CLIENTS, codeRequest, REDIRECT_URI, VERIFIER } from '../support/service.ts'
import { type Connected, connect } from './connected.ts'

/** The API, the token that it is called with, and what a token is that it got for the API `BILLING`. */
export async function startActing(t: Test, stage: Stage) {
  const app = await connect(t, stage, 'acting-api', ['--scope', 'api.read'], 'localhost')
  const storage = redisStorage(t, stage.redis)
  await storage.records.put({ kind: RESOURCE, id: BILLING, hash: { scopes: 'api.read' } })
  const shop = { ...CLIENTS.web, client_id: `shop-${app.port}`, allowed_scopes: ['api.read'] }
  await createClient(storage, shop.client_id, formatClient(shop))
  const code = newToken(newFamilyId())
  await saveCode(
    storage,
    code,
    {
      ...{ client_id: shop.client_id, resource: app.origin, scope: 'api.read', redirect_uri: REDIRECT_URI },
      ...{ subject: 'sub-of-alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 },
      code_challenge: s256Challenge(VERIFIER),
    },
    60,
  )
  const { json } = await visit(stage.issuer).token(
    { ...codeRequest(code), client_id: shop.client_id },
    basic(shop.client_id),
  )
  return { app, token: String(json.access_token), isGood: (got: string) => isGood(t, stage, app, got) }
}

async function isGood(t: Test, { issuer }: Stage, { client_id, client_secret }: Connected, token: string) {
  const seen = await fetch(`${issuer}/oauth2/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({ token }),
  })
  t.match(await seen.json(), {
    ...{ active: true, sub: 'sub-of-alice', aud: BILLING, scope: 'api.read' },
    act: { sub: client_id, client_id },
  })
}
