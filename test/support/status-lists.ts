// Status lists of a service, as an API reads them.

import { inflateSync } from 'node:zlib'
import { decodeJwt } from 'jose'
import type { StatusBit } from '../../src/storage/noted-jwts.ts'
import type { Lifecycle, Start } from './lifecycle.ts'
import { changeClient } from './records.ts'
import { ISSUER, type Service, type TestOptions } from './service.ts'
import { until } from './until.ts'

/** A service with status lists, which are written whenever it looks. */
export const LISTED = {
  access_token_format: 'jwt',
  status_lists: 'on',
  list_timing: { written_every: 0, read_every: 20 },
} as const satisfies TestOptions

/** Starts a service whose clients `app`, `web` and `service` have their JWTs in status lists. */
export async function startListed(start: Start, options: TestOptions = {}): Promise<Lifecycle> {
  const service = await start({ ...LISTED, ...options })
  for (const client of ['app', 'web', 'service'])
    await changeClient(service.storage, client, { set: { status_list: 'true' } })
  return service
}

/** Returns where the status of a JWT is; undefined: in no list. */
export function bitOf(jwt: string): StatusBit | undefined {
  const { status } = decodeJwt(jwt) as { status?: { status_list: { idx: number; uri: string } } }
  if (status === undefined) return undefined
  const { idx, uri } = status.status_list
  const [, list] = new RegExp(`^${ISSUER}/status/([\\w-]{16})$`).exec(uri) ?? []
  if (list === undefined) throw new Error(`${uri} is no address of a list`)
  return { list, index: idx }
}

/** The claims of a list, and its bits. */
export interface ReadList {
  readonly claims: Readonly<Record<string, unknown>>
  readonly bytes: Uint8Array
}

/** Reads a list; undefined: it is not published. */
export async function readList({ get }: Pick<Service, 'get'>, list: string): Promise<ReadList | undefined> {
  const { status, text } = await get(`/status/${list}`)
  if (status !== 200) return undefined
  const claims = decodeJwt(text)
  const { lst } = claims.status_list as { lst: string }
  return { claims, bytes: inflateSync(Buffer.from(lst, 'base64url')) }
}

/** Whether a bit is set. */
const isSet = ({ bytes }: Pick<ReadList, 'bytes'>, index: number) =>
  (((bytes[index >> 3] ?? 0) >> (index & 7)) & 1) === 1

/** Returns the indexes of all bits that are set. */
export function setBits(list: Pick<ReadList, 'bytes'>): number[] {
  return Array.from({ length: list.bytes.length * 8 }, (_, index) => index).filter((index) =>
    isSet(list, index),
  )
}

/** Returns what the lists say of JWTs, once all were written after this call: whether each is ended. */
export async function endedOf(service: Lifecycle, ...jwts: string[]): Promise<boolean[]> {
  const found: boolean[] = []
  for (const jwt of jwts) {
    const bit = bitOf(jwt)
    if (bit === undefined) throw new Error('the token is in no list')
    // The one that is being written may have begun before.
    let after = (await readList(service, bit.list))?.claims.status_list
    for (const _ of [1, 2]) {
      const before = JSON.stringify(after)
      await until('the list is written', async () => {
        after = (await readList(service, bit.list))?.claims.status_list
        return after !== undefined && JSON.stringify(after) !== before
      })
    }
    const list = await readList(service, bit.list)
    found.push(list !== undefined && isSet(list, bit.index))
  }
  return found
}
