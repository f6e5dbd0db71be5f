import { encode, FORM, faults } from '../../../support/hostile/endpoints.ts'
import { REGISTERED, TRICKS } from '../../../support/hostile/redirect-tricks.ts'
import { each, refusalFaults, type Siege, siege, words } from '../../../support/hostile/siege.ts'
import { createClient } from '../../../support/records.ts'
import { authorizationRequest, codeRequest, REDIRECT_URI } from '../../../support/service.ts'

const REFUSAL = [400, 'invalid_request'] as const

async function registerNative(service: Siege, client_id: string, redirect_uris: string) {
  const hash = {
    redirect_uris,
    is_public: 'true',
    grant_types: 'authorization_code',
    allowed_scopes: 'openid',
  }
  await createClient(service.storage, client_id, hash)
  service.writes.length = 0
}

const ask = (client_id: string, redirect_uri: string, overrides: Record<string, string> = {}) =>
  encode(authorizationRequest({ client_id, redirect_uri, scope: 'openid', ...overrides }))

siege('an unregistered redirect_uri is never redirected to', async (t, service) => {
  await registerNative(service, 'native', REGISTERED.join(' '))
  for (const [kind, uris] of Object.entries(TRICKS)) {
    await each(t, kind, uris, async (uri) => {
      const query = ask('native', uri)
      const broken = ask('native', uri, { response_type: 'token', scope: 'nope' })
      const url = '/oauth2/authorize'
      const replies = [
        await service.send({ url: `${url}?${query}`, headers: { accept: 'text/html' } }),
        await service.send({ url: `${url}?${query}`, headers: { accept: 'application/json' } }),
        await service.send({ url: `${url}?${broken}` }),
        await service.send({ method: 'POST', url, headers: { 'content-type': FORM }, payload: query }),
      ]
      return replies.flatMap((reply) => {
        const shown = uri.length > 9 && reply.body.includes(uri) ? ['the page shows it'] : []
        return [
          ...refusalFaults(reply, ...REFUSAL),
          ...shown,
          ...(reply.body.includes('evil.') ? ['evil'] : []),
        ]
      })
    })
  }
})

siege('a registered redirect_uri is accepted, a loopback literal with any port', async (t, service) => {
  await registerNative(service, 'native', REGISTERED.join(' '))
  const ports = [1, 80, 443, 8080, 9999, 65535]
  const loopback = ports.flatMap((port) => [
    `http://127.0.0.1:${port}/callback`,
    `http://[::1]:${port}/callback`,
  ])
  await each(t, 'served', [...REGISTERED, ...loopback, 'http://127.0.0.1/eighty'], async (uri) => {
    const { location = '' } = await service.send({ url: `/oauth2/authorize?${ask('native', uri)}` })
    service.writes.length = 0
    const separator = uri.includes('?') ? '&' : '?'
    return location.startsWith(`${uri}${separator}code=`) ? [] : [location]
  })
})

siege(
  'the token endpoint requires the exact redirect_uri of the authorization request',
  async (t, service) => {
    await registerNative(service, 'native', REGISTERED.join(' '))
    const refused = { status: 400, error: 'invalid_grant' }
    const malformed = { status: 400, error: 'invalid_request' }
    const isMalformed = (uri: string) => /%(?:[01].|7F)/.test(encodeURIComponent(uri))
    for (const used of ['http://127.0.0.1:8080/callback', 'https://app.example.com/callback']) {
      const code = await service.code({ client_id: 'native', redirect_uri: used, scope: 'openid' })
      service.writes.length = 0
      const redeem = (redirect_uri: string) => {
        const payload = encode(codeRequest(code, { client_id: 'native', redirect_uri }))
        return service.send({
          method: 'POST',
          url: '/oauth2/token',
          headers: { 'content-type': FORM },
          payload,
        })
      }
      const others = [...Object.values(TRICKS).flat(), ...REGISTERED, 'http://127.0.0.1:8081/callback']
      await each(
        t,
        used,
        others.filter((uri) => uri !== used),
        async (uri) => faults(service, await redeem(uri), isMalformed(uri) ? malformed : refused),
      )
      t.equal((await redeem(used)).status, 200, 'no wrong attempt has spent the code')
      service.writes.length = 0
    }
  },
)

siege('a client record with an invalid redirect_uri is refused', async (t, service) => {
  const hostile = words(`
    javascript:alert(1) JAVASCRIPT:alert(1) javascript://app.example.com/%0aalert(1) data:text/html,x
    vbscript:x file:///etc/passwd about:blank blob:https://app.example.com/x
    view-source:https://app.example.com/ ftp://a.example/ mailto:a@b.example tel:1 ws://a.example/
    //app.example.com/callback /callback callback ? https:/app.example.com/x https:app.example.com
    https:///app.example.com https:// https://?x https:\\\\a.example https://a.example\\b
    https://user@a.example/ https://user:password@a.example/ https://:p@a.example/ https://a.example/#
    https://a.example#x https://a.example/<script> https://a.example/"x https://ａ.example/
    https://a.example:99999/ https://a.example:x/ https://[::1 https://[::1]x/ https://[:::]/ https://%
    https://a%00b/ https://a.example/{x} https://a.example/\`x http://127.0.0.1:80@evil.example/
    http://127.0.0.256/ http://127.0.0.1:65536/ 1x.y:/a .x:/a
    a.b://[x]/cb a.b://[::1 a.b://a:99999/ a.b://user@a/ a.b:/%zz https://app.example.com/* https://*.example.com/
    https://%2A.example.com/ http://127.0.0.1:*/callback com.example.app:/*`)
  for (const [index, uri] of hostile.entries()) {
    await registerNative(service, `hostile${index}`, `https://app.example.com/callback ${uri}`)
    const bad = [uri, 'https://app.example.com/callback']
    await each(t, uri, bad, async (presented) =>
      refusalFaults(
        await service.send({ url: `/oauth2/authorize?${ask(`hostile${index}`, presented)}` }),
        ...REFUSAL,
      ),
    )
  }
  const named = service.log.filter((line) => line.includes('"field":"redirect_uris"'))
  t.ok(named.length >= hostile.length, 'the log names the field')
})

siege('a redirect has each parameter once, and the state unchanged', async (t, service) => {
  const states = words(
    'x&code=evil x%26code%3Devil #code=evil ?code=evil code=evil&iss=https://evil.example 100%25 +++ %2B',
  )
  const odd = [
    '"><script>alert(1)</script>',
    'a b',
    ' ',
    '\u2028',
    '😀',
    '\u{10ffff}',
    'x'.repeat(3000),
    '\u0085\u009b31m',
  ]
  for (const response_type of ['code', 'evil']) {
    await each(t, response_type, [...states, ...odd, 'https://evil.example/'], async (state) => {
      const query = ask('app', REDIRECT_URI, {
        state,
        response_type,
        code: 'evil',
        iss: 'evil',
        error: 'evil',
        response: 'evil',
      })
      const { location = '', headers } = await service.send({ url: `/oauth2/authorize?${query}` })
      service.writes.length = 0
      const answer = new URL(location)
      const names = [...answer.searchParams.keys()].join()
      const expected = response_type === 'code' ? 'code,state,iss' : 'error,error_description,state,iss'
      return answer.searchParams.get('state') === state &&
        names === expected &&
        answer.hash === '' &&
        /^[\x21-\x7e]+$/.test(location) &&
        location.startsWith(`${REDIRECT_URI}?`) &&
        !Array.isArray(headers.location)
        ? []
        : [location]
    })
  }
})
