// A push service on loopback, and a browser that reads what is sent to it (RFC 8291 §3, RFC 8188 §2).
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { startDocumentHost } from './outbound/document-host.ts'

/** The keys of a browser. */
export interface BrowserKeys {
  readonly privateKey: Buffer
  readonly auth: Buffer
}

/** Reads a message, as a browser does. @throws if it is not for these keys */
export function readPush(body: Buffer, { privateKey, auth }: BrowserKeys): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  const salt = body.subarray(0, 16)
  const length = body[20] ?? 0
  const sender = body.subarray(21, 21 + length)
  const record = body.subarray(21 + length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32))
  const derive = (name: string, size: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, size))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = text.lastIndexOf(2)
  if (text.subarray(end + 1).some((octet) => octet !== 0)) throw new Error('the last record has no end')
  return text.subarray(0, end).toString()
}

/** A message that was sent to a browser. */
export interface Pushed {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Starts a service that answers with a status, which may be changed. */
export async function startPushService(t: Test, answer = 201) {
  const pushed: Pushed[] = []
  const service = { status: answer }
  const { origin, options } = await startDocumentHost(t, {
    '*': async (response, request) => {
      pushed.push({ url: request.url ?? '', headers: request.headers, body: await buffer(request) })
      response.writeHead(service.status).end()
    },
  })
  /** A browser that allowed messages, as `JSON.stringify(subscription)` says it. */
  const subscribe = (path = randomBytes(8).toString('hex')) => {
    const pair = createECDH('prime256v1')
    const p256dh = pair.generateKeys('base64url')
    const auth = randomBytes(16)
    const keys = { p256dh, auth: auth.toString('base64url') }
    const endpoint = `${origin}/${path}`
    const subscription = JSON.stringify({ endpoint, expirationTime: null, keys })
    return { endpoint, subscription, keys: { privateKey: pair.getPrivateKey(), auth } }
  }
  return { service, origin, options, pushed, subscribe }
}
