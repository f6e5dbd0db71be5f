import { randomBytes, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isObject } from '../../src/core/json.ts'
import { kidOf, openWith, type SealingKey, sealWith } from '../../src/keys/seal.ts'
import { Refusal, UsageError } from '../errors.ts'

/** How the key of a file is made from its passphrase (RFC 7914), and a text that tells whether the passphrase is right. */
export interface PassphraseHeader {
  readonly kdf: 'scrypt'
  readonly N: number
  readonly r: number
  readonly p: number
  /** base64url. */
  readonly salt: string
  readonly check: string
}

/** Seals and opens secrets of one file: AES-256-GCM, with a key for each value. */
export interface FileSealer {
  /** Returns a text, sealed for one place of the file. */
  seal(place: string, text: string): string
  /** Returns the text; undefined if it was sealed for another place, or was changed. */
  open(place: string, sealed: string): string | undefined
}

// 128 MiB and about half a second: a stolen file lets somebody try passphrases as long as they want.
const COST = { N: 2 ** 17, r: 8, p: 1 }
/** What a file may ask for. */
const MAX = { memory: 256 * 2 ** 20, p: 4 }
const KEY_BYTES = 32
const SALT_BYTES = 16
const MIN_LENGTH = 12
// A file has one key, so its values need no name for it; those of storage have this length.
const KID = 'movefile'
const CHECK = { place: 'check', text: 'redmint' }

/** Reads a passphrase, without the line break at its end. @throws UsageError if it cannot be read or is too short */
export async function readPassphrase(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The file ${file} cannot be read: ${error.code}.`)
  })
  const passphrase = text.replace(/\r?\n$/, '')
  if (passphrase.length >= MIN_LENGTH) return passphrase
  throw new UsageError(`The passphrase in ${file} must have at least ${MIN_LENGTH} characters.`)
}

/** Makes the sealer of a new file, and what its header says of it. */
export async function newSealer(
  passphrase: string,
  cost: Pick<PassphraseHeader, 'N' | 'r' | 'p'> = COST,
): Promise<{ sealer: FileSealer; header: PassphraseHeader }> {
  const salt = randomBytes(SALT_BYTES)
  const sealer = sealerOf(await keyOf(passphrase, salt, cost))
  const check = sealer.seal(CHECK.place, CHECK.text)
  return { sealer, header: { kdf: 'scrypt', ...cost, salt: salt.toString('base64url'), check } }
}

/** Makes the sealer of a file that is read. @throws Refusal if the passphrase is wrong */
export async function sealerFor(passphrase: string, header: PassphraseHeader): Promise<FileSealer> {
  const sealer = sealerOf(await keyOf(passphrase, Buffer.from(header.salt, 'base64url'), header))
  if (sealer.open(CHECK.place, header.check) === CHECK.text) return sealer
  throw new Refusal('The passphrase is not that of the file. Nothing was written.')
}

/** Reads what a header says of its passphrase, or returns why that cannot be used. */
export function readPassphraseHeader(value: unknown): PassphraseHeader | { readonly problem: string } {
  if (!isObject(value) || value.kdf !== 'scrypt') return { problem: 'must have the kdf "scrypt"' }
  const { N, r, p, salt, check } = value
  if (!isCount(N) || !isCount(r) || !isCount(p) || typeof salt !== 'string' || typeof check !== 'string')
    return { problem: 'must have N, r, p, salt and check' }
  // RFC 7914 §2: N is a power of two.
  if (N < 2 || !Number.isInteger(Math.log2(N)) || Buffer.from(salt, 'base64url').length < SALT_BYTES)
    return { problem: 'must have a power of two for N, and a salt of 16 bytes' }
  if (128 * N * r > MAX.memory || p > MAX.p)
    return { problem: 'costs too much: at most 256 MiB, and 4 for p' }
  return { kdf: 'scrypt', N, r, p, salt, check }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

function keyOf(
  passphrase: string,
  salt: Buffer,
  { N, r, p }: Pick<PassphraseHeader, 'N' | 'r' | 'p'>,
): Promise<SealingKey> {
  return new Promise((resolve, reject) => {
    // The same passphrase has one form, on whatever machine it was typed.
    scrypt(
      passphrase.normalize('NFC'),
      salt,
      KEY_BYTES,
      { N, r, p, maxmem: 2 * MAX.memory },
      (error, secret) => (error === null ? resolve({ kid: KID, secret }) : reject(error)),
    )
  })
}

function sealerOf(key: SealingKey): FileSealer {
  return {
    seal: (place, text) => sealWith(key, `move ${place}`, text),
    open: (place, sealed) => (kidOf(sealed) === KID ? openWith(key, `move ${place}`, sealed) : undefined),
  }
}
