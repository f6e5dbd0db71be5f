// A hole of another server: it took the origins that may read an answer from a claim of a token before it verified the
// token (CVE-2026-37977). redmint's CORS headers depend on the endpoint alone.

import { FORM } from '../../../support/hostile/endpoints.ts'
import { attackersKeys, forge, rightClaims } from '../../../support/hostile/forge.ts'
import { type Attack, each, type Reply, siege, words } from '../../../support/hostile/siege.ts'
import { bearer } from '../../../support/service.ts'

const EVIL = 'https://evil.example'
const ORIGINS = [EVIL, 'null', 'https://auth.example.com', 'https://auth.example.com.evil.example', '*']

const FOR_SCRIPTS = words('/oauth2/token /oauth2/revoke /oauth2/introspect /userinfo /.well-known/jwks.json')
const FOR_OTHERS = words(
  '/oauth2/authorize /oauth2/interaction /oauth2/logout /api/resource /health /nowhere',
)

/** The CORS headers of an answer: those that a browser acts on. */
const corsOf = ({ headers }: Reply) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

/** Requests to a path with a token that the attacker signed, as every endpoint may take one. */
function attacks(url: string, token: string): Attack[] {
  const form = { 'content-type': FORM }
  const fields = [
    'access_token',
    'token',
    'subject_token',
    'ticket',
    'client_assertion',
    'id_token_hint',
    'assertion',
  ]
  return [
    { url, headers: bearer(token) },
    { url, method: 'POST', headers: { ...form, ...bearer(token) }, payload: 'grant_type=client_credentials' },
    ...fields.map((field) => ({
      url,
      method: 'POST',
      headers: form,
      payload: `${field}=${token}&client_id=app`,
    })),
    { url: `${url}?id_token_hint=${token}` },
  ]
}

siege('no claim and no Origin changes which origins may read an answer', async (t, service) => {
  const [key] = attackersKeys()
  if (key === undefined) throw new Error('there is no key')
  const claims = {
    azp: EVIL,
    client_id: EVIL,
    origin: EVIL,
    'allowed-origins': [EVIL, '*'],
    web_origins: ['*'],
  }
  const token = forge(key, { payload: rightClaims(claims) })
  for (const [paths, allowed] of [
    [FOR_SCRIPTS, '*'],
    [FOR_OTHERS, undefined],
  ] as const) {
    for (const path of paths) {
      await each(t, path, ORIGINS, async (origin) => {
        const found = []
        for (const attack of attacks(path, token)) {
          const reply = await service.send({ ...attack, headers: { ...attack.headers, origin } })
          const cors = corsOf(reply)
          // A path without a route for the method has none of the headers.
          const expected = reply.status === 405 ? undefined : allowed
          if (cors['access-control-allow-origin'] !== expected)
            found.push(`${attack.method} allows ${cors['access-control-allow-origin']}`)
          // A browser refuses `*` for requests with cookies unless this header is there.
          if ('access-control-allow-credentials' in cors) found.push('allows credentials')
          if (JSON.stringify(reply.headers).includes('evil.example'))
            found.push(`repeats it: ${JSON.stringify(reply.headers)}`)
        }
        return found
      })
    }
  }
})
