// A relying party that receives logout tokens, and the context of a courier.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { ClientRegistry } from '../../../src/clients/client-registry.ts'
import { completeSettings, type Settings } from '../../../src/config/settings.ts'
import { LastOutcomes } from '../../../src/core/last-outcomes.ts'
import type { Log } from '../../../src/core/log.ts'
import { KeyRing } from '../../../src/keys/ring.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { ISSUER, useTestKeys } from '../service.ts'

/** A request that was received. */
export interface Posted {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

type Answer = (response: ServerResponse) => void

/** Responds with a status and no body. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end()

/** A server on loopback that responds with these in turn, then always with the last one. */
export async function startRelyingParty(t: Test, ...answers: Answer[]) {
  const posted: Posted[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    posted.push({ method, url, headers, body: await text(request) })
    const answer = answers[Math.min(posted.length, answers.length) - 1] ?? status(200)
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { port, posted, uri: `http://127.0.0.1:${port}/backchannel?tenant=x` }
}

/** The logout token of a form. */
export const tokenIn = (posted: Posted | undefined) =>
  String(new URLSearchParams(posted?.body).get('logout_token'))

/** The claims of a JWT, unverified. */
export const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

/** A log that records each line with its details. */
export function keptLog() {
  const lines: { level: string; details: object; message: string }[] = []
  const keep = (level: string) => (details: object, message: string) => {
    lines.push({ level, details, message })
  }
  const log: Log = { info: keep('info'), warn: keep('warn'), error: keep('error') }
  return { log, lines }
}

/** The context of a courier on a storage. `now` is its clock, in milliseconds since 1970; the keys have the real one. */
export async function courierContext(
  t: Test,
  storage: Storage,
  log: Log,
  options: Partial<Settings> = {},
  now = Date.now,
) {
  await useTestKeys(storage)
  const settings = completeSettings({ issuer: ISSUER, ...options })
  const keys = new KeyRing({
    store: storage.signing_keys,
    records: storage.records,
    settings,
    log,
    now: Date.now,
  })
  t.teardown(() => keys.close())
  await keys.start()
  const clients = new ClientRegistry({ storage, log, settings, now })
  return { settings, storage, clients, outcomes: new LastOutcomes(), keys, log, now }
}
