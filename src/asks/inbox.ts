import { hash } from 'node:crypto'
import type { ClientId, Sub } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { ASKED, type AskedRecord } from '../tokens/asked-record.ts'

/** What waits for a person. */
export interface WaitingAsk {
  /** Its name in the inbox; pages and links have it. */
  readonly name: string
  /** The id of its record. */
  readonly id: string
  readonly asked: AskedRecord
}

/** How many requests of one client wait for a person at once, and in all. */
const MAX_OPEN = 3
const MAX_OPEN_OF_ALL = 30
/** How often a person is asked in an hour: by one client, and in all. */
const AN_HOUR = { of_client: 5, in_all: 10 } as const
const HOUR = 3_600_000

/** What it takes to keep what waits for people. */
export interface InboxContext {
  readonly storage: Pick<Storage, 'bounded' | 'counters' | 'records'>
}

/**
 * Notes what waits for a person. Each call takes the same steps, whatever comes of it.
 * @param id that of its record, which is there already
 * @param ttl in seconds
 * @returns why it does not wait: the person was asked too often, or is asked the same already
 * @throws StorageUnavailable
 */
export async function putAsk(
  { storage }: InboxContext,
  person: Sub,
  id: string,
  asked: AskedRecord,
  ttl: number,
): Promise<'limited' | 'repeated' | undefined> {
  const { client_id } = asked
  const counters = [
    { group: 'ask-client', name: digestOf(person, client_id), max: AN_HOUR.of_client },
    { group: 'ask', name: digestOf(person), max: AN_HOUR.in_all },
  ] as const
  const counted = await storage.counters.countFailures(counters, HOUR)
  const list = { asks_of: person } as const
  const open = await storage.bounded.read(list)
  const name = nameOf(asked)
  const of_client = open.filter(({ text }) => clientOf(text) === client_id)
  const is_limited = isFull(counters, counted) || of_client.length >= MAX_OPEN
  const is_repeated = open.some((entry) => entry.name === name)
  // What does not wait is put where nobody reads it, so that the steps are the same.
  const place = is_limited || is_repeated ? { asks_of: digestOf(person, 'dropped') } : list
  const of = digestOf(client_id)
  const entry = { name, text: JSON.stringify({ id, client_id }), kind: of, owner: of }
  const bounds = { ttl: ttl * 1000, max: MAX_OPEN_OF_ALL, of_kind: MAX_OPEN, keep: true } as const
  await storage.bounded.put(place, [entry], bounds)
  if (is_repeated) return 'repeated'
  return is_limited ? 'limited' : undefined
}

const isFull = (counters: readonly { readonly max: number }[], counted: readonly { count: number }[]) =>
  counted.some(({ count }, i) => count > (counters[i]?.max ?? 0))

/** Returns what waits for a person, the newest first. @throws StorageUnavailable */
export async function asksOf({ storage }: InboxContext, person: Sub): Promise<WaitingAsk[]> {
  const entries = await storage.bounded.read({ asks_of: person })
  const read = entries.map(async ({ name, text }): Promise<WaitingAsk | undefined> => {
    const id = idOf(text)
    const asked = id && recordOf(await storage.records.read(ASKED, id))
    return id && asked ? { name, id, asked } : undefined
  })
  return (await Promise.all(read)).filter((ask) => ask !== undefined)
}

/** Returns one of them; undefined: there is none, or none any more. @throws StorageUnavailable */
export async function findAsk(
  { storage }: InboxContext,
  person: Sub,
  name: string,
): Promise<WaitingAsk | undefined> {
  const [entry] = await storage.bounded.read({ asks_of: person }, { name })
  const id = entry && idOf(entry.text)
  const asked = id && recordOf(await storage.records.read(ASKED, id))
  return id && asked ? { name, id, asked } : undefined
}

/** Takes what was answered out of what waits for a person. @throws StorageUnavailable */
export async function dropAsk({ storage }: InboxContext, person: Sub, name: string): Promise<void> {
  await storage.bounded.drop({ asks_of: person }, name)
}

const clientOf = (text: string): ClientId | undefined => textIn(text, 'client_id')
const idOf = (text: string): string | undefined => textIn(text, 'id')

function textIn(text: string, member: 'id' | 'client_id'): string | undefined {
  const value = parseObject(text)?.[member]
  return typeof value === 'string' ? value : undefined
}

/** The name of a request in an inbox: two with the same text have the same. */
const nameOf = (asked: AskedRecord): string => {
  const { client_id, scope, resource, authorization_details, binding_message, acr_values } = asked
  const text = JSON.stringify([
    ...[client_id, scope, resource ?? '', authorization_details ?? ''],
    ...[binding_message ?? '', acr_values ?? ''],
  ])
  return hash('sha256', text, 'base64url')
}

/** A name in storage, of 64 characters, that shows nobody. */
const digestOf = (...parts: string[]): string => hash('sha256', JSON.stringify(['ask', ...parts]), 'hex')
