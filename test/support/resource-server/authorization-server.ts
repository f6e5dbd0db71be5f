// An authorization server of which each answer can be set: its documents, its keys, and introspection.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A key of ES256. */
export interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: object
}

/** Answers a request; `body` is that of the request. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

const METADATA = '/.well-known/oauth-authorization-server'

export function makeKey(kid: string): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }
  return { kid, privateKey, jwk }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a JWS by ES256. */
export function signWith({ kid, privateKey }: Key, claims: object, header: object = {}): string {
  const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

/** Starts the server on a free port; it ends with the test. */
export async function startAuthorizationServer(t: Test) {
  const state = {
    keys: [makeKey('first')],
    /** The introspection response for a token. */
    introspection: (_token: string): object => ({ active: false }),
    /** Answers instead of the server, by path. */
    instead: new Map<string, Handler>(),
    /** The path of each request. */
    requests: [] as string[],
    /** The Authorization header of the last request. */
    authorization: undefined as string | undefined,
  }
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    state.requests.push(url)
    state.authorization = headers.authorization
    const body = (await request.toArray()).join('')
    const instead = state.instead.get(url)
    if (instead) {
      instead(request, response, body)
      return
    }
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answers: Record<string, () => object> = {
      [METADATA]: () => ({
        issuer,
        jwks_uri: `${issuer}/keys`,
        introspection_endpoint: `${issuer}/introspect`,
      }),
      '/keys': () => ({ keys: state.keys.map(({ jwk }) => jwk) }),
      '/introspect': () => state.introspection(new URLSearchParams(body).get('token') ?? ''),
    }
    const answer = answers[url]
    if (answer === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const count = (path: string) => state.requests.filter((url) => url === path).length
  return { issuer, state, count }
}

/** Answers every request with this status. */
export const status =
  (code: number): Handler =>
  (_request, response) =>
    response.writeHead(code).end()
