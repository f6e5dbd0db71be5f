// An authenticator app (RFC 6238), written apart from the code that is tested.
import { createHmac } from 'node:crypto'

const STEP_MS = 30_000
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an app shows at a time (milliseconds since 1970) for a key as people type it. */
export function appCode(key: string, at: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)))
  const digest = createHmac('sha1', bytesOf(key)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** A code that no step near this time has. */
export function wrongCode(key: string, at: number): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => appCode(key, at + steps * STEP_MS))
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (code) => !right.includes(code),
  )
  return wrong ?? '666666'
}

function bytesOf(key: string): Buffer {
  const bits = [...key.replaceAll(' ', '')].map((letter) =>
    BASE32.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
