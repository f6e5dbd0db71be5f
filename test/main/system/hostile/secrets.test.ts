import { ENDPOINTS, encode } from '../../../support/hostile/endpoints.ts'
import { forge, keyFor, stolenKeys } from '../../../support/hostile/forge.ts'
import { siege } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { basic, codeRequest, SECRET, VERIFIER } from '../../../support/service.ts'

const PAIR = `client_secret=${SECRET}`

siege('secrets, codes and tokens in headers and bodies are not logged', async (t, service) => {
  const { access_token, refresh_token, id_token } = await service.tokens()
  const jwt = forge(keyFor(await stolenKeys(t, service), 'ES256'))
  const code = await service.code()
  service.secrets.push(code, jwt)
  for (const secret of [SECRET, VERIFIER, access_token, refresh_token, id_token, code, jwt]) {
    const pairs = [`service:${secret}`, secret, `${secret}:x`, `service:${secret}%`]
    const credentials = [
      ...pairs.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
      ...[`Bearer ${secret}`, `Bearer ${secret}x`, `Bearer ${secret}, ${secret}`, `Basic ${secret}`, secret],
    ]
    for (const authorization of credentials) {
      for (const url of ['/api/resource', '/userinfo', '/health', '/nowhere']) {
        await service.send({
          url,
          headers: { authorization, cookie: secret, referer: `https://a.example/?${secret}` },
        })
      }
      await service.post('/oauth2/token', { ...codeRequest('x'), client_secret: secret }, { authorization })
    }
    for (const endpoint of ENDPOINTS) {
      // A refused scope is named in the error; it is not secret.
      for (const field of endpoint.fields.filter((name) => name !== 'scope')) {
        const right = await endpoint.right(service)
        await service.send(endpoint.attack(encode({ ...right, [field]: secret })))
        await service.send(endpoint.attack(encode({ ...right, [field]: `${secret}\0` })))
        await service.send(endpoint.attack(`${field}=${secret}&${field}=${secret}`))
      }
      await service.send(endpoint.attack(`${secret}=1&${secret}=1`))
    }
    for (const url of ['/oauth2/token', '/userinfo', '/nowhere', '/api/x', `/oauth2/token?${PAIR}`]) {
      const types = ['application/json', 'text/plain', secret]
      for (const type of types) {
        const payload = `{"client_secret":"${secret}`
        await service.send({ method: 'POST', url, headers: { 'content-type': type }, payload })
      }
    }
  }
  service.writes.length = 0
})

siege('secrets, codes and tokens in a URL are not logged', async (t, service) => {
  const send = await listen(service.fastify)
  const lines = [
    `GET /oauth2/authorize?${PAIR}`,
    `GET /oauth2/authorize#${PAIR}`,
    `GET http://localhost/oauth2/token?${PAIR}`,
    `GET http://service:${SECRET}@localhost/oauth2/token`,
    `GET http://localhost?${PAIR}`,
    `GET http://localhost?${PAIR}/health`,
    `OPTIONS *?${PAIR}`,
  ]
  for (const line of lines) t.ok((await send(request(line))).status < 500, line.replace(SECRET, '…'))
})

siege(
  'the secrets of a request that the HTTP parser refuses are not logged, even at trace level',
  async (t, service) => {
    service.fastify.log.level = 'trace'
    const { access_token } = await service.tokens()
    const send = await listen(service.fastify)
    const { authorization } = basic('service')
    const head = 'HTTP/1.1\r\nHost: localhost\r\n'
    const requests = [
      `POST /oauth2/token ${head}Authorization: ${authorization}\r\nno colon\r\n\r\n`,
      `POST /oauth2/token ${head}Content-Length: 5\r\n\r\n${PAIR}`,
      `POST /oauth2/token ${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n${PAIR}`,
      `GET /api/resource ${head}Authorization: Bearer ${access_token}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]
    // A buffer is logged as the numbers of its bytes.
    for (const secret of [...service.secrets]) service.secrets.push(Buffer.from(secret).join())
    for (const text of requests) t.not((await send(text)).status, 200)
  },
)
