// A hole of another server: an encrypted request object with plain JSON inside was honoured without the signature that the
// client's record demanded (CVE-2026-9793). Here nothing counts in an object that the client did not sign (RFC 9101 §6),
// however it is wrapped. Only one that says that it is unsigned has an answer: the error of a kind that is not supported.
import { generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { encode, forge, stolenKeys } from '../../../support/hostile/forge.ts'
import { each, type Siege, siege } from '../../../support/hostile/siege.ts'
import { giveKeys } from '../../../support/request-objects.ts'
import { authorizationRequest, REDIRECT_URI } from '../../../support/service.ts'
import { issuerKey } from '../../../support/trusted-issuer.ts'

const EVIL = 'https://evil.example/cb'

/** What a request object would change if it counted. */
const CLAIMS = {
  ...authorizationRequest({ scope: 'openid api.read api.write', state: 'inside', subject: 'bob' }),
  redirect_uri: EVIL,
  iss: 'app',
  aud: 'https://auth.example.com',
  prompt: 'none',
}

/** The same claims in every wrapping that some server has accepted. */
async function objects(service: Siege, t: Parameters<typeof stolenKeys>[0]): Promise<string[]> {
  // The client has keys, and these sign nothing here.
  await giveKeys(service.storage, 'app', [issuerKey()])
  service.writes.length = 0
  const [key] = await stolenKeys(t, service)
  if (key === undefined) throw new Error('there is no key')
  const text = JSON.stringify(CLAIMS)
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const encrypt = (plain: string, alg: 'dir' | 'RSA-OAEP') =>
    new CompactEncrypt(Buffer.from(plain))
      .setProtectedHeader({ alg, enc: 'A128GCM', kid: key.kid })
      .encrypt(alg === 'dir' ? new Uint8Array(16) : publicKey)
  const signed = forge(key, {
    header: { alg: key.alg, kid: key.kid, typ: 'oauth-authz-req+jwt' },
    payload: CLAIMS,
  })
  const unsigned = `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`
  return [
    ...[signed, unsigned, text, encode(CLAIMS), `.${encode(CLAIMS)}.`, `${encode({})}.${encode(CLAIMS)}`],
    ...[await encrypt(text, 'dir'), await encrypt(text, 'RSA-OAEP')],
    ...[await encrypt(signed, 'RSA-OAEP'), await encrypt(unsigned, 'RSA-OAEP')],
    ...['x', '..', `${'.'.repeat(4)}`],
  ]
}

const inQuery = (parameters: Record<string, string>) => ({
  url: `/oauth2/authorize?${new URLSearchParams(parameters)}`,
})

const isUnsigned = (object: string) => object === `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`

siege('no request object counts that the client did not sign', async (t, service) => {
  await each(t, 'by value', await objects(service, t), async (request) => {
    const { location, error, body } = await service.send(inQuery({ ...authorizationRequest(), request }))
    if (!isUnsigned(request)) {
      const is_right = location === undefined && error === 'invalid_request_object'
      return is_right && !body.includes('evil.example') ? [] : [`${error} ${location}`]
    }
    const target = new URL(location ?? 'none:')
    const found = target.searchParams.has('code') || body.includes('evil.example') ? ['it counts'] : []
    if (`${target.origin}${target.pathname}` !== REDIRECT_URI) found.push(`redirects to ${location}`)
    if (target.searchParams.get('state') !== 'a state') found.push('another state')
    return error === 'request_not_supported' ? found : [...found, `error ${error}`]
  })
  await each(t, 'pushed', await objects(service, t), async (request) => {
    const { status, error } = await service.send({
      method: 'POST',
      url: '/oauth2/par',
      headers: { 'content-type': FORM },
      payload: new URLSearchParams({ ...authorizationRequest(), request }).toString(),
    })
    return status === 400 && error === 'invalid_request_object' ? [] : [`${status} ${error}`]
  })
  await each(t, 'without parameters outside', await objects(service, t), async (request) => {
    const { status, location, error } = await service.send(inQuery({ request }))
    return status === 400 && error === 'invalid_request' && location === undefined
      ? []
      : [`${status} ${location}`]
  })
  const uris = [
    'https://evil.example/request.jwt',
    'urn:ietf:params:oauth:request-uri:x',
    'data:application/jwt,x',
  ]
  await each(t, 'by reference', uris, async (request_uri) => {
    const { location, error } = await service.send(inQuery({ ...authorizationRequest(), request_uri }))
    const isRight = error === 'request_uri_not_supported' && location?.startsWith(`${REDIRECT_URI}?`)
    return isRight ? [] : [`${error} ${location}`]
  })
  const { json } = await service.get('/.well-known/openid-configuration')
  t.match(json, { request_uri_parameter_supported: false })
})
