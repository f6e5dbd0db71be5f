import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a proxy of the tests keeps a connection, in milliseconds: longer than clients do, which must not send on one that just ended. */
export const KEPT = 75_000

/** Answers with what another server answered, without what that said of its own connection (RFC 9110 §7.6.1). */
export function passOn(answer: IncomingMessage, response: ServerResponse): void {
  const { connection: _, 'keep-alive': __, ...headers } = answer.headers
  response.writeHead(answer.statusCode ?? 502, headers)
  answer.pipe(response)
}
