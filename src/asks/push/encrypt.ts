import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto'

/** What a browser gives to whom it lets send it messages (Push API §8.1), in base64url. */
export interface PushKeys {
  /** Its public key on P-256, uncompressed. */
  readonly p256dh: string
  /** A secret of 16 octets. */
  readonly auth: string
}

const CURVE = 'prime256v1'
const RECORD_SIZE = 4096
/** Ends the last record (RFC 8188 §2). */
const LAST = Buffer.of(2)

/** Whether keys of a browser can be used: the point is on the curve, and the secret has its length (RFC 8291 §3.2). */
export function areUsable({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  if (point.length !== 65 || point[0] !== 4 || Buffer.from(auth, 'base64url').length !== 16) return false
  const own = createECDH(CURVE)
  own.generateKeys()
  try {
    return own.computeSecret(point).length === 32
  } catch {
    return false
  }
}

/**
 * Encrypts a short message for a browser, so that its push service reads nothing of it: one record of `aes128gcm` (RFC 8291
 * §4, RFC 8188 §2).
 * @throws if the keys are not usable
 */
export function encryptPush(message: string, { p256dh, auth }: PushKeys): Buffer {
  const browser = Buffer.from(p256dh, 'base64url')
  const own = createECDH(CURVE)
  const sender = own.generateKeys()
  // RFC 8291 §3.4: both keys are part of what the record is encrypted with.
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser, sender])
  const secret = derive(Buffer.from(auth, 'base64url'), own.computeSecret(browser), info, 32)
  const salt = randomBytes(16)
  const key = derive(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sealed = [cipher.update(message, 'utf8'), cipher.update(LAST), cipher.final(), cipher.getAuthTag()]
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.of(sender.length), sender, ...sealed])
}

/** HKDF with SHA-256 of at most 32 octets (RFC 5869 §2). */
function derive(salt: Buffer, secret: Buffer, info: Buffer, length: number): Buffer {
  const extracted = createHmac('sha256', salt).update(secret).digest()
  return createHmac('sha256', extracted).update(info).update(Buffer.of(1)).digest().subarray(0, length)
}
