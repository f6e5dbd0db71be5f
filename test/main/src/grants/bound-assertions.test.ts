// Assertions that their issuer bound to a key or a certificate by `cnf` (RFC 7800 §3.1): whoever copies one cannot use it
// (draft-ietf-oauth-identity-assertion-authz-grant-04, Proof-of-Possession During ID-JAG Exchange).

import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../../src/users/user-record.ts'
import { CN, issue, name, proxied, WITH_CERTIFICATES } from '../../../support/certificates.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { type Answer, basic, CLIENTS, startService } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../support/trusted-issuer.ts'

const IDP = 'https://idp.example.com'
const CI = 'https://ci.example.com'
const KEY = issuerKey()
const AGENT = { ...CLIENTS.web, client_id: 'agent', grant_types: [JWT_BEARER] } as const
const JOB = { ...CLIENTS.service, client_id: 'job', assertion_issuer: CI, grant_types: [JWT_BEARER] } as const

/** The forms and headers of requests with an assertion that has this `cnf`. */
const GRANTS = {
  'an identity assertion': (cnf: unknown) => {
    const claims = claimsOf(IDP, '00u1', { client_id: 'agent', scope: 'openid', cnf } satisfies Claims)
    const assertion = assertionOf(KEY, claims, { typ: 'oauth-id-jag+jwt' })
    return { form: { grant_type: JWT_BEARER, assertion }, headers: basic('agent') }
  },
  'an assertion of a workload': (cnf: unknown) => {
    const assertion = assertionOf(KEY, claimsOf(CI, 'job', { cnf }))
    return { form: { grant_type: JWT_BEARER, client_id: 'job', assertion }, headers: {} }
  },
}

async function trusting(t: Test, bound = {}) {
  const service = await startService(t, { ...WITH_CERTIFICATES, trusted_issuers: true })
  const { storage } = service
  await trust(storage, KEY, { issuer: IDP, profile: 'id-jag' })
  await trust(storage, KEY, { issuer: CI })
  await createClient(storage, 'agent', formatClient({ ...AGENT, ...bound }))
  await createClient(storage, 'job', formatClient({ ...JOB, ...bound }))
  await createClient(storage, 'api', formatClient({ ...CLIENTS.web, client_id: 'api', can_introspect: true }))
  const ann = { sub: 'sub-of-ann', linked_subjects: [`${IDP}#00u1`], claims: {} }
  await createUser(storage, 'ann', formatUser(ann))
  await indexUser(storage, 'ann')
  return service
}

function refused(t: Test, { status, json }: Answer, description: RegExp, name: string) {
  const expected = { error: 'invalid_grant', error_description: description, access_token: undefined }
  t.match({ status, json }, { status: 400, json: expected }, name)
}

for (const [what, make] of Object.entries(GRANTS)) {
  t.test(`${what} that is bound to a key needs a proof of this key`, async (t) => {
    const service = await trusting(t)
    const own = dpopClient(service)
    const { form, headers } = make({ jkt: own.key.jkt })
    refused(t, await service.token(form, headers), /bound to a key: send a DPoP proof of it/, 'no proof')
    refused(t, await dpopClient(service).token(form, headers), /bound to a key/, 'another key')
    const { status, json } = await own.token(form, headers)
    t.match({ status, json }, { status: 200, json: { token_type: 'DPoP' } }, 'nothing was spent')
    const { json: found } = await service.post(
      '/oauth2/introspect',
      { token: String(json.access_token) },
      basic('api'),
    )
    t.match(found, { active: true, cnf: { jkt: own.key.jkt } }, 'the token is bound to the same key')
  })

  t.test(`${what} that is bound to a certificate needs it`, async (t) => {
    const service = await trusting(t, { tls_client_certificate_bound_access_tokens: true })
    const [own, other] = [issue({ subject: name([CN, 'own']) }), issue({ subject: name([CN, 'other']) })]
    const thumbprint = createHash('sha256').update(own.der).digest('base64url')
    const { form, headers } = make({ 'x5t#S256': thumbprint })
    const answer = await service.token(form, { ...headers, ...proxied(other) })
    refused(t, answer, /bound to a client certificate/, 'another certificate')
    t.equal((await service.token(form, { ...headers, ...proxied(own) })).status, 200)
  })

  t.test(`${what} that is bound in another way is refused`, async (t) => {
    const service = await trusting(t)
    const client = dpopClient(service)
    for (const cnf of [{}, null, 'key', { kid: 'key' }, { jkt: '' }, { jkt: client.key.jkt, kid: 'key' }]) {
      const { form, headers } = make(cnf)
      refused(t, await client.token(form, headers), /bound in a way/, JSON.stringify(cnf))
    }
  })
}

t.test('an assertion that is bound authenticates no client', async (t) => {
  const service = await trusting(t)
  const client = dpopClient(service)
  const { form } = GRANTS['an assertion of a workload']({ jkt: client.key.jkt })
  const authentication = { client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion: form.assertion }
  const { status, json } = await client.token({
    grant_type: JWT_BEARER,
    assertion: 'x.y.z',
    ...authentication,
  })
  t.match({ status, json }, { status: 401, json: { error: 'invalid_client', error_description: /bound/ } })
})
