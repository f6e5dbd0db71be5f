// The example of examples/second-factor/, started on a port of its own.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { copyExample, startProgram } from './example.ts'
import { freePort } from './process.ts'

/** The functions of totp.mjs. */
interface Totp {
  codeOf(key: Uint8Array, step: number): string
  stepOf(key: Uint8Array, code: string, now: number): number | undefined
  base32(key: Uint8Array): string
}

/** Starts the example. Returns its address, the key of its user, and the codes. */
export async function startSecondFactor(t: Test) {
  const port = await freePort()
  const folder = await copyExample(t, 'second-factor', t.testdir(), { 3000: port })
  const totp: Totp = await import(pathToFileURL(join(folder, 'totp.mjs')).href)
  const program = await startProgram(t, folder, 'start.mjs', port)
  await program.prints(/secret=\w+\n/)
  const key = fromBase32(/secret=(\w+)/.exec(program.stdout)?.[1] ?? '')
  return { address: `http://localhost:${port}`, key, ...totp }
}

function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
