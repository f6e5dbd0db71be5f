// A redmint as the provider of another one, without sockets.
import type { Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import type { GuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import { CLIENTS, SECRET, startService } from '../service.ts'

export const PROVIDER_ISSUER = 'https://accounts.example.org'
export const CLIENT_ID = 'redmint'
export { SECRET }

/** Starts a provider that knows one client with this redirect URI. */
export async function startProvider(t: Test, callback: string) {
  const service = await startService(t, { issuer: PROVIDER_ISSUER })
  await service.storage.records.put({
    kind: CLIENT,
    id: CLIENT_ID,
    hash: formatClient({
      ...CLIENTS.web,
      client_id: CLIENT_ID,
      redirect_uris: [callback],
      allowed_scopes: ['openid', 'profile', 'email'],
      grant_types: ['authorization_code'],
    }),
  })
  const asked: string[] = []
  const fetch: GuardedFetch = async (url, { method, headers, body }) => {
    const { origin, pathname, search } = new URL(url)
    asked.push(`${method} ${origin}${pathname}`)
    if (origin !== PROVIDER_ISSUER) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
    const answer = await service.fastify.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: { ...headers },
      ...(body !== undefined && body !== null && { payload: String(body) }),
    })
    const kept = Object.entries(answer.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    )
    return new Response(answer.payload, { status: answer.statusCode, headers: kept })
  }
  return { ...service, fetch, asked }
}
