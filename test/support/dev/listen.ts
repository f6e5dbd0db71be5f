import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port of loopback. Returns the origin. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await once(server.listen(0, 'localhost'), 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
