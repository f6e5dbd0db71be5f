import {
  byEveryKey,
  forge,
  keyFor,
  rightClaims,
  rightHeader,
  stolenKeys,
  tokenFaults,
} from '../../../support/hostile/forge.ts'
import { each, siege } from '../../../support/hostile/siege.ts'
import { ISSUER } from '../../../support/service.ts'

siege('valid tokens of another kind are refused', async (t, service) => {
  const { id_token, refresh_token, access_token } = await service.tokens()
  const [keys, code] = [await stolenKeys(t, service), await service.code()]
  service.writes.length = 0
  const absent = { client_id: undefined, scope: undefined, jti: undefined }
  const id = { ...absent, sub: 'alice', aud: 'app', auth_time: 1, nonce: 'a nonce' }
  const others = [
    ...[id_token, refresh_token, code, `${access_token}.x`, `x.${access_token}`, `${id_token}.x`],
    ...byEveryKey(keys, (key) => ({ header: rightHeader(key, { typ: 'JWT' }), payload: rightClaims(id) })),
    ...byEveryKey(keys, () => ({ payload: rightClaims(id) })),
    ...byEveryKey(keys, () => ({ payload: rightClaims({ ...id, aud: [ISSUER, 'app'] }) })),
    ...byEveryKey(keys, (key) => ({ header: rightHeader(key, { typ: 'JWT' }) })),
  ]
  await each(t, 'as an access token', others, (token) => tokenFaults(service, token))
})

siege('oversized tokens are refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const key = keyFor(keys, 'ES256')
  for (const size of [10_000, 1_000_000]) {
    const fill = 'A'.repeat(size)
    const long = [
      ...[fill, `${fill}.${fill}.${fill}`, `${'.'.repeat(size)}`, `${fill}..`, `..${fill}`, `.${fill}.`],
      ...[forge(key, { signature: () => Buffer.alloc(size) }), `${forge(key)}${fill}`],
      forge(key, { header: rightHeader(key, { kid: fill }) }),
      forge(key, { payload: rightClaims({ iss: fill }) }),
    ]
    await each(t, `${size} characters`, long, (token) => tokenFaults(service, token))
  }
})
