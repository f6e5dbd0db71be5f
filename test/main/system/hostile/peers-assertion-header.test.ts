// What another server read from the header of an assertion before it checked the signature, or instead of its claims
// (CVE-2026-16093): of a header only alg, kid and typ count, and what it says beside them changes nothing.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { createClient } from '../../../support/records.ts'
import { CLIENTS, ISSUER, startService } from '../../../support/service.ts'
import {
  assertionOf,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../support/trusted-issuer.ts'

const PLATFORM = 'https://ci.example.com'
const [KEY, FOREIGN] = [issuerKey(), issuerKey()]

/** Members that say what claims say (RFC 7519 §5.3), where keys are (RFC 7515 §4.1), or what somebody may. */
const BESIDE: Readonly<Record<string, unknown>> = {
  iss: 'https://evil.example',
  sub: 'admin',
  aud: 'https://evil.example',
  exp: 1,
  nbf: 9_999_999_999,
  jti: 'the same each time',
  client_id: 'service',
  scope: 'api.write redmint:write',
  acr: 'phr',
  amr: ['hwk'],
  cnf: { jkt: 'x' },
  policy: { allow: '*' },
  token_type: 'refresh_token',
  jwk: FOREIGN.jwk,
  jku: 'https://evil.example/keys',
  x5u: 'https://evil.example/certificate',
  x5c: ['AA=='],
  x5t: 'AA',
  cty: 'JWT',
  zip: 'DEF',
  enc: 'A128GCM',
  ver: 2,
  url: 'https://evil.example',
  toString: 'x',
}

t.test('what a header says beside alg, kid and typ changes nothing', async (t) => {
  const service = await startService(t, { trusted_issuers: true })
  await trust(service.storage, KEY, { issuer: PLATFORM })
  const { client_secret_hash: _, ...client } = CLIENTS.service
  const named = {
    ...client,
    client_id: 'deploy',
    grant_types: [JWT_BEARER],
    allowed_scopes: ['api.read'],
  } as const
  await createClient(service.storage, 'deploy', formatClient({ ...named, assertion_issuer: PLATFORM }))
  const send = (claims: Claims, header: Claims, key = KEY) =>
    service.token({
      grant_type: JWT_BEARER,
      client_id: 'deploy',
      assertion: assertionOf(key, claimsOf(PLATFORM, 'deploy', claims), header),
    })
  const rows: [name: string, header: Claims][] = [
    ...Object.entries(BESIDE).map(([name, value]): [string, Claims] => [name, { [name]: value }]),
    ['all of them', { ...BESIDE }],
  ]
  for (const [name, header] of rows) {
    const { status, json } = await send({}, header)
    t.match({ status, json }, { status: 200, json: { scope: 'api.read' } }, name)
  }
  // Nor does it stand in for a claim that is wrong or missing, or for a signature.
  const exp = Math.floor(Date.now() / 1000) + 60
  const header = { ...BESIDE, aud: ISSUER, sub: 'deploy', exp, jti: 'an id', iss: PLATFORM, kid: KEY.kid }
  const wrong: Claims[] = [
    { aud: 'https://other.example' },
    { aud: undefined },
    { sub: undefined },
    { exp: 1 },
  ]
  for (const claims of [...wrong, { jti: undefined }, { iss: undefined }])
    t.equal((await send(claims, header)).json.error, 'invalid_grant', JSON.stringify(claims))
  t.equal((await send({}, header, FOREIGN)).json.error, 'invalid_grant', 'with the name of a key alone')
})
