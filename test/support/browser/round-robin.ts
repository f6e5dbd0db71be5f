// A balancer without affinity: each request goes to the next replica.
import { once } from 'node:events'
import { type ClientRequest, createServer, request as send } from 'node:http'
import type { Test } from 'tap'
import { KEPT, passOn } from '../pass-on.ts'

/**
 * Forwards each request to the next of these ports.
 * @param served counts the requests by the index of the port
 */
export async function startRoundRobin(
  t: Test,
  port: number,
  replicas: readonly number[],
  served: number[],
): Promise<void> {
  let count = 0
  const server = createServer({ keepAliveTimeout: KEPT }, (request, response) => {
    const index = count++ % replicas.length
    served[index] = (served[index] ?? 0) + 1
    const { method, url, headers } = request
    const passed: ClientRequest = send(
      { host: '127.0.0.1', port: replicas[index], method, path: url, headers, agent: false },
      (answer) => passOn(answer, response),
    )
    passed.on('error', () => response.writeHead(502).end())
    request.pipe(passed)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
}
