// What a stranger writes comes back in no page, no JSON and no line of the log: it would look like a text of ours.
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { DESCRIBED_FIELDS } from '../../../../src/clients/documents/client-metadata.ts'
import { PATHS } from '../../../../src/core/paths.ts'
import { ASKS, CHEAP } from '../../../support/accounts.ts'
import { storeDevices } from '../../../support/device.ts'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { APP, startRegistration } from '../../../support/registration.ts'
import { authorizationRequest, bearer, codeRequest, SECRET } from '../../../support/service.ts'

/** What may come back, of which requests and where. */
const ALLOWED: readonly RegExp[] = [
  // To the client, as the protocol wants it.
  /oauth2\/authorize state: 30[23] answer$/,
  // What a client asked for and may not have: to the client, which sent it. Operators see it in the explanation.
  /(authorize|par|token|device_authorization) (scope|resource): (30[23]|400) answer$/,
  // What was registered (RFC 7591 §3.2.1).
  /register \S+: 201 answer$/,
  // What a registered client sent, without its query: to the operator, who sees which address is wrong.
  /(authorize|par) redirect_uri: log$/,
  // The form that is sent again from here, in fields that nobody sees.
  /POST \/oauth2\/logout .*: 200 answer$/,
  /POST \/oauth2\/logout transaction: 303 answer$/,
  // What was typed stays in its field, 32 characters at most, so that it can be corrected.
  /device user_code: 200 answer$/,
  // In links and fields that nobody sees: the language of the next page, and what waits.
  /device ui_locales: 200 answer$/,
  /logout transaction: 200 answer$/,
]

type Fields = Record<string, string>

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: Record<string, { schema?: { properties?: object } }> }
}

const WEB = { client_id: 'web', client_secret: SECRET }
const TOKEN = { ...codeRequest('x'.repeat(60)), client_id: 'app' }

/** Requests that are right but for one value, by path. */
const BASES: Readonly<Record<string, readonly Fields[]>> = {
  [PATHS.authorize]: [authorizationRequest(), authorizationRequest(ASKS)],
  [PATHS.par]: [authorizationRequest(), authorizationRequest(WEB)],
  [PATHS.token]: [
    TOKEN,
    { grant_type: 'client_credentials', client_id: 'service', client_secret: SECRET },
    { grant_type: 'refresh_token', refresh_token: 'x'.repeat(60), ...WEB },
  ],
  [PATHS.device_authorization]: [{ client_id: 'tv', scope: 'openid' }],
  [PATHS.revoke]: [WEB],
  [PATHS.introspect]: [WEB],
}

/** The ways in which a word stands in a value. */
const FORMS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `https://${word}.example/${word}?${word}#${word}`,
  (word) => `${word}:${word}`,
  (word) => `${word}\n${word}`,
  (word) => JSON.stringify({ [word]: word, userinfo: { [word]: { [word]: 1 } } }),
  (word) => `${encoded({ alg: word, typ: word, kid: word, crit: [word] })}.${encoded(claimsOf(word))}.AA`,
  (word) => `${encoded({ alg: 'ES256', typ: 'JWT', [word]: word })}.${encoded(claimsOf(word))}.AA`,
]
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = (word: string) =>
  Object.fromEntries(
    ['iss', 'sub', 'aud', 'jti', 'scope', 'client_id', 'redirect_uri', word].map((name) => [name, word]),
  )

const HEADERS =
  'user-agent referer origin accept accept-language cookie x-request-id x-forwarded-for x-forwarded-host dpop authorization client-cert if-none-match'.split(
    ' ',
  )

t.test('no word of a stranger comes back', async (t) => {
  const service = await startRegistration(t, { ...CHEAP, demo: 'public', trusted_issuers: true })
  await storeDevices(service.storage)
  const { fastify, log } = service
  const document = (await fastify.inject('/openapi.json')).json() as {
    paths: Record<string, Record<string, Operation>>
  }
  const faults = new Set<string>()
  let words = 0
  let sent = 0

  /** Sends a request that has a new word in it, and notes where the word comes back. */
  const send = async (name: string, requestOf: (word: string) => InjectOptions) => {
    const word = `zq${(words++).toString(36)}word`
    log.length = 0
    const request = requestOf(word)
    const { statusCode, headers, body } = await fastify.inject(request)
    sent += 1
    const answer = JSON.stringify(headers) + body
    const places = { [`${statusCode} answer`]: answer, log: log.join('') }
    for (const [place, text] of Object.entries(places)) {
      const isBack = text.toLowerCase().includes(word)
      const what = `${request.method} ${new URL(String(request.url), 'http://x').pathname} ${name}: ${place}`
      if (isBack && !ALLOWED.some((allowed) => allowed.test(what))) {
        const at = text.toLowerCase().indexOf(word)
        faults.add(`${what}: ${text.slice(Math.max(0, at - 60), at + 40)}`)
      }
    }
  }

  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const url = path.replace('{client_id}', 'self-unknown')
      const body = requestBody?.content[FORM]?.schema?.properties
      const names = body === undefined ? parameters.map(({ name }) => name) : Object.keys(body)
      const requestOf = (query: string): InjectOptions =>
        body === undefined
          ? { method: method.toUpperCase() as 'GET', url: `${url}?${query}` }
          : { method: 'POST', url, payload: query, headers: { 'content-type': FORM } }
      for (const base of BASES[path] ?? [{}]) {
        for (const name of [...names, 'unknown']) {
          for (const form of FORMS) {
            await send(name, (word) =>
              requestOf(String(new URLSearchParams({ ...base, [name]: form(word) }))),
            )
          }
          // Twice, and malformed.
          await send(name, (word) =>
            requestOf(`${new URLSearchParams(base)}&${name}=${word}&${name}=${word}`),
          )
          await send(name, (word) => requestOf(`${new URLSearchParams(base)}&${name}=${word}%ff%zz`))
        }
        // As a name, once and twice.
        await send('a name', (word) => requestOf(`${new URLSearchParams(base)}&${word}=1`))
        await send('a name', (word) => requestOf(`${new URLSearchParams(base)}&${word}=1&${word}=2`))
        for (const header of HEADERS) {
          for (const value of ['', 'Basic ', 'Bearer ', 'DPoP ']) {
            await send(header, (word) => {
              const request = requestOf(String(new URLSearchParams(base)))
              return { ...request, headers: { ...request.headers, [header]: `${value}${word}` } }
            })
          }
        }
      }
    }
  }
  for (const member of [...DESCRIBED_FIELDS, 'unknown', 'response_types', 'scope', 'client_secret', 'jwks']) {
    const values: ((word: string) => unknown)[] = [
      (word) => word,
      (word) => [word],
      (word) => [`${word} ${word}`, `${word}:/x`, 'x'.repeat(300) + word],
      (word) => ({ [word]: word, keys: [{ kty: word, kid: word, use: word }] }),
      (word) => `https://${word}.example/#${word}`,
      (word) => [`http://${word}.example/${word}`, `javascript:${word}`, `editor.${word}:/`, `${word}://x`],
    ]
    for (const value of values) {
      await send(member, (word) => ({
        method: 'POST',
        url: PATHS.register,
        payload: { ...APP, redirect_uris: ['no URI'], [member]: value(word), client_uri: value(word) },
        headers: bearer('x'),
      }))
      await send(member, (word) => ({
        method: 'POST',
        url: PATHS.register,
        payload: {
          ...APP,
          token_endpoint_auth_method: 'none',
          contacts: ['x'.repeat(300)],
          [member]: value(word),
        },
      }))
    }
  }
  t.ok(sent > 3000, `${sent} requests`)
  t.strictSame([...faults].sort(), [])
})
