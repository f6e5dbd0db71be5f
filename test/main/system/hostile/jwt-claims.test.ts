import {
  byEveryKey,
  forge,
  type Key,
  keyFor,
  type Recipe,
  rightClaims,
  rightHeader,
  stolenKeys,
  tokenFaults,
} from '../../../support/hostile/forge.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { bearer, ISSUER } from '../../../support/service.ts'

const NOW = Math.floor(Date.now() / 1000)
const HOST = ISSUER.slice('https://'.length)
const WRONG_TYPES: unknown[] = [null, true, 1, 0, -1, 1.5, {}, [], [[]], { toString: 'alice' }, ['alice']]

/** Invalid claims of a token signed by a real key, by name. */
const CLAIMS: Record<string, unknown[]> = {
  iss: [
    ...words(`
      ${ISSUER}/ ${ISSUER.toUpperCase()} ${ISSUER}.evil.example ${ISSUER}:443 https://evil.example
      http://${HOST} ${HOST}`),
    ...[
      undefined,
      '',
      ` ${ISSUER}`,
      `${ISSUER} `,
      [ISSUER],
      [ISSUER, ISSUER],
      { [ISSUER]: 1 },
      ...WRONG_TYPES,
    ],
  ],
  aud: [
    ...words(`app web ${ISSUER}/ ${ISSUER.toUpperCase()} ${ISSUER},app ${ISSUER}/apis`),
    ...[
      undefined,
      '',
      `${ISSUER} app`,
      ['app', 'web'],
      [`${ISSUER}/`],
      [[ISSUER]],
      [{ [ISSUER]: 1 }],
      ...WRONG_TYPES,
    ],
  ],
  exp: [
    ...[
      undefined,
      0,
      -1,
      NOW - 1,
      NOW - 900,
      `${NOW + 900}`,
      'never',
      '9999999999',
      '',
      new Date(Date.now() + 900_000),
    ],
    // Beyond the range of a Date.
    ...[8.64e13, 1e21, Number.MAX_VALUE, null, true, {}, [], [NOW + 900], { valueOf: NOW + 900 }],
  ],
  nbf: [NOW + 3600, NOW + 1e9, 1e21, `${NOW}`, '', 'now', true, {}, [], [NOW], new Date()],
  iat: [undefined, `${NOW}`, '', 'now', null, true, {}, [], [NOW], new Date()],
  sub: [undefined, ...WRONG_TYPES],
  client_id: [undefined, ...WRONG_TYPES],
  jti: [undefined, ...WRONG_TYPES],
  scope: [...WRONG_TYPES, ['openid', 'api.read'], ['openid']],
}

/** Header parameters that turn a valid token into something else. */
const HEADERS: Record<string, unknown[]> = {
  typ: [
    ...words('JWT jwt at at+JWTx xat+jwt at-jwt id_token secevent+jwt logout+jwt dpop+jwt application/jwt'),
    ...words('application/at+jwt;x text/at+jwt application/application/at+jwt at+jwt,JWT at+jwt; /at+jwt'),
    ...[undefined, '', 'at+jwt ', ' at+jwt', 'at jwt', ['at+jwt'], { typ: 'at+jwt' }, null, 1, true],
  ],
  kid: [
    ...words(
      'unknown __proto__ constructor toString hasOwnProperty * . 0 current null ../../dev/null /dev/null',
    ),
    ...words('..\\..\\nul file:///dev/null $(id) |id redmint:signing-keys https://evil.example/jwks.json'),
    ...[
      undefined,
      '',
      "' UNION SELECT 'secret",
      'a\0b',
      'a\nb',
      'x'.repeat(5000),
      null,
      0,
      1,
      true,
      [],
      {},
      ['x'],
    ],
  ],
  crit: [
    ...words('exp alg kid b64 x __proto__ crit').map((name) => [name]),
    ...[[], [1], [''], 'exp', 1, {}, null, true, ['x', 'x'], ['exp', 'b64']],
  ],
}

siege('a token signed by a real key with an invalid claim is refused', async (t, service) => {
  const key = keyFor(await stolenKeys(t, service), 'ES256')
  for (const [claim, values] of Object.entries(CLAIMS)) {
    await each(t, claim, values, (value) =>
      tokenFaults(service, forge(key, { payload: rightClaims({ [claim]: value }) })),
    )
  }
})

siege('a token signed by a real key with an invalid header is refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const key = keyFor(keys, 'ES256')
  for (const [name, values] of Object.entries(HEADERS)) {
    await each(t, name, values, (value) =>
      tokenFaults(service, forge(key, { header: rightHeader(key, { [name]: value }) })),
    )
  }
  await each(t, 'a list with the kid', keys.slice(0, 4), (key) =>
    tokenFaults(service, forge(key, { header: rightHeader(key, { kid: [key.kid] }) })),
  )
})

siege('variants that RFC 9068 and RFC 7519 allow are accepted', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const recipes: ((key: Key) => Recipe)[] = [
    ...words('at+jwt AT+JWT At+Jwt application/at+jwt APPLICATION/AT+JWT').map((typ) => (key: Key) => ({
      header: rightHeader(key, { typ }),
    })),
    ...[
      { aud: [ISSUER] },
      { aud: ['app', ISSUER] },
      { nbf: NOW - 1 },
      { unknown: 'claim', __proto__: null },
      { iat: NOW + 30 },
    ].map((claims) => () => ({ payload: rightClaims(claims) })),
    () => ({ payload: `{"iss":"evil",${JSON.stringify(rightClaims()).slice(1)}` }),
    (key) => ({ header: rightHeader(key, { unknown: 1, jku: 'https://evil.example' }) }),
  ]
  await each(t, 'good tokens', recipes, async (recipe) => {
    const replies = byEveryKey(keys, recipe).map((token) =>
      service.send({ url: '/api/resource', headers: bearer(token) }),
    )
    return (await Promise.all(replies)).flatMap(({ status, body }) =>
      status === 200 ? [] : [`${status} ${body}`],
    )
  })
})
