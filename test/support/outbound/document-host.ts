// A server on loopback that serves documents by https as rp.example.com.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import type { Test } from 'tap'
import type { PublicGetOptions } from '../../../src/outbound/public-get.ts'
import { CERTIFICATE, KEY } from './self-signed.ts'

export const HOST = 'rp.example.com'

/** Answers one request. */
export type AnswerDocument = (response: ServerResponse, request: IncomingMessage) => void

/** Responds with JSON and these headers. */
export const json =
  (document: unknown, headers: Record<string, string> = {}): AnswerDocument =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(typeof document === 'string' ? document : JSON.stringify(document))

/** A DNS lookup that returns these addresses and records the names. */
export function lookupOf(...addresses: string[]) {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked.push(hostname)
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4)
  }
  return { lookup, asked }
}

/** Starts the server. `answers` may be changed while it runs: by path, else that of `*`. */
export async function startDocumentHost(t: Test, answers: Record<string, AnswerDocument>) {
  const requests: IncomingMessage[] = []
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    requests.push(request)
    const answer = answers[request.url ?? ''] ?? answers['*']
    if (answer === undefined) response.writeHead(404).end()
    else answer(response, request)
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  const origin = `https://${HOST}:${port}`
  const options: PublicGetOptions = {
    allow_private: true,
    lookup: lookupOf('127.0.0.1').lookup,
    ca: CERTIFICATE,
  }
  return { origin, port, requests, options }
}
