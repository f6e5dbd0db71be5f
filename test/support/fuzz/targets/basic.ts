import assert from 'node:assert/strict'
import fc from 'fast-check'
import fastify from 'fastify'
import basicAuth, { basicCredentialsOf } from '../../../../plugins/basic-auth.ts'
import { readClientCredentials } from '../../../../src/clients/authentication/client-credentials.ts'
import { OAuthError } from '../../../../src/core/errors.ts'
import { type Target, twoParts } from '../target.ts'
import { decodedOf } from './form.ts'

type Credentials = { client_id?: string; client_secret?: string }

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const formEncode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

const server = fastify()
await server.register(basicAuth)
server.setErrorHandler((error, _request, reply) => {
  // Anything but the specified refusal is a fault.
  if (!(error instanceof OAuthError)) throw error
  return reply.status(error.status).send({ error: error.code })
})
server.get('/', { onRequest: server.readBasicCredentials }, async (request) =>
  readClientCredentials(basicCredentialsOf(request), {}),
)
await server.ready()

async function read(authorization: string): Promise<Credentials | undefined> {
  const { statusCode, body } = await server.inject({ url: '/', headers: { authorization } })
  if (statusCode === 200) return JSON.parse(body)
  assert.deepEqual([statusCode, body], [401, '{"error":"invalid_client"}'])
  return undefined
}

/** The credentials of a header by the letter of RFC 9110 §11.4, RFC 7617 and RFC 6749 §2.3.1; undefined if it must be refused. */
function allowed(authorization: string): Credentials | undefined {
  // A header of another scheme, whose name is a token (RFC 9110 §5.6.2), is none of a client.
  const [scheme = ''] = /^[!#$%&'*+.^_`|~\w-]+/.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return {}
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(authorization) ?? []
  const bytes = Buffer.from(encoded, 'base64')
  if (encoded === '' || bytes.toString('base64') !== encoded) return undefined
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return undefined
  }
  const colon = text.indexOf(':')
  const [client_id, client_secret] = [decodedOf(text.slice(0, colon)), decodedOf(text.slice(colon + 1))]
  return colon < 1 || client_id === undefined || client_secret === undefined
    ? undefined
    : presented(client_id, client_secret)
}

/** An empty secret is an absent one. */
function presented(client_id: string, client_secret: string): Credentials {
  return client_secret === '' ? { client_id } : { client_id, client_secret }
}

/**
 * HTTP Basic: what is accepted is what the RFCs allow, everything else is one and the same 401, and the credentials of a
 * correct client arrive unchanged. A header of another scheme is ignored. An input is a header, or the two credentials of a client on two lines.
 */
export const basic: Target = {
  name: 'basic',
  words: ['Basic ', 'basic ', '=', '==', base64('a:b'), base64('%61:b'), ':', '%', '+', 'Bearer ', '\t'],
  inputs: fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => `Basic ${base64(text)}`),
    fc
      .tuple(fc.string(), fc.string())
      .map(([id, secret]) => `Basic ${base64(`${formEncode(id)}:${secret}`)}`),
    fc
      .tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }))
      .map((pair) => pair.join('\n')),
    fc.string().map((text) => `Basic ${text}`),
  ),
  async check(input) {
    // A header has no control characters and only bytes.
    const header = input.replace(/[^\x20-\x7e\x80-\xff]/g, '').trim()
    const read_credentials = await read(header)
    if (read_credentials !== undefined) assert.deepEqual(read_credentials, allowed(header))

    const [client_id, client_secret] = twoParts(input.toWellFormed())
    const plain = [client_id, client_secret].every(
      (text) => decodedOf(encodeURIComponent(text)) !== undefined,
    )
    if (client_id === '' || !plain) return
    const credentials = `${formEncode(client_id)}:${formEncode(client_secret)}`
    assert.deepEqual(await read(`Basic ${base64(credentials)}`), presented(client_id, client_secret))
  },
}
