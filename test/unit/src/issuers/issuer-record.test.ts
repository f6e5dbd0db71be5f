import t from 'tap'
import { parseIssuer } from '../../../../src/issuers/issuer-record.ts'

const URL = 'https://ci.example.com'

t.test('what cannot be a trusted issuer', async (t) => {
  t.match(parseIssuer(URL, {}), { ok: true, record: { issuer: URL } })
  for (const url of ['http://ci.example.com', 'ci.example.com', `${URL}?x=1`, `${URL}#x`])
    t.match(parseIssuer(url, {}), { problems: [{ field: 'issuer', problem: /must be an https URL/ }] }, url)
  t.match(parseIssuer(URL, { issuer: 'https://other.example' }), {
    problems: [{ field: 'issuer', problem: 'differs from the name in the key' }],
  })
  t.match(parseIssuer(URL, { jwks: '{}' }), { problems: [{ field: 'jwks', problem: /not a key set/ }] })
  const jwks = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}'
  t.match(parseIssuer(URL, { jwks, jwks_uri: `${URL}/keys` }), {
    problems: [{ field: 'jwks', problem: /exclude each other/ }],
  })
})
