// Signing keys shared by all test processes, because creating RSA keys takes longer than most tests.
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Hash } from '../../src/core/record-hash.ts'
import { maintainSigningKeys } from '../../src/keys/rotate.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/redmint/', import.meta.url))
const FILE = `${FOLDER}test-keys.json`
// Long before a rotation is due.
const MAX_AGE_MS = 3_600_000

/** A set of signing keys; the first process that needs it creates it. */
export async function testKeys(): Promise<Hash> {
  return (await cached()) ?? (await make())
}

async function cached(): Promise<Hash | undefined> {
  try {
    const { mtimeMs } = await stat(FILE)
    return Date.now() - mtimeMs < MAX_AGE_MS ? JSON.parse(await readFile(FILE, 'utf8')) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function make(): Promise<Hash> {
  const scratch = new MemoryStorage().signing_keys
  const settings = { key_rotation_days: 90 }
  await maintainSigningKeys(scratch, settings, new Date())
  const keys = await scratch.read()
  await mkdir(FOLDER, { recursive: true })
  // Written under another name first, so that readers find the complete file or none.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, JSON.stringify(keys), { mode: 0o600 })
  await rename(draft, FILE)
  return keys
}
