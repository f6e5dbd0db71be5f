import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** The address of somebody who asked for another one, by sub: RISC 1.0 names by it who changed it. */
const FORMER_ADDRESS: Kind<string> = {
  name: 'set-address',
  format: (email) => ({ email }),
  parse: ({ email = '' }) =>
    email === ''
      ? { ok: false, problems: [{ field: 'email', problem: 'is missing' }] }
      : { ok: true, record: email },
}
// Seconds: as long as a link to confirm an address may live.
const TTL = 2 * 86_400

/** Keeps the address that somebody has, for when it changes. @throws StorageUnavailable */
export function keepAddress({ records }: RecordStore, sub: string, email: string): Promise<void> {
  return records.put(write(FORMER_ADDRESS, sub, email, TTL))
}

/** Returns the address that was kept; undefined: none was. @throws StorageUnavailable */
export async function formerAddress({ records }: RecordStore, sub: string): Promise<string | undefined> {
  return recordOf(await records.read(FORMER_ADDRESS, sub))
}
