import { hash } from 'node:crypto'
import { isObject, parseObject } from '../../core/json.ts'
import { isUrl } from '../../core/uri.ts'
import type { Storage } from '../../storage/storage.ts'
import { areUsable, type PushKeys } from './encrypt.ts'

/** A browser that tells its person that somebody asks. */
export interface PushSubscription {
  readonly endpoint: string
  readonly keys: PushKeys
  /** The browser in words; absent: it is not known. */
  readonly browser?: string | undefined
  /** The tag of the language in which it was allowed. */
  readonly language: string
  /** In milliseconds since 1970. */
  readonly added_at: number
}

/** One that is stored. */
export interface StoredSubscription extends PushSubscription {
  readonly id: string
  /** Milliseconds until it ends. */
  readonly ends_in: number
}

export interface SubscriptionContext {
  readonly storage: Pick<Storage, 'bounded'>
}

/** How many browsers of one person; one more takes the place of the one that was not used for longest. */
const MAX_BROWSERS = 10
/** Half a year without a notice. */
const TTL = 182 * 86_400_000
const MAX_ENDPOINT = 1024

/**
 * Reads what a browser gave (Push API §8.1 `toJSON`).
 * @returns undefined: its service is not reached by https, or its keys cannot be used
 */
export function readSubscription(text: string): Pick<PushSubscription, 'endpoint' | 'keys'> | undefined {
  const { endpoint, keys } = parseObject(text) ?? {}
  if (typeof endpoint !== 'string' || !isPushEndpoint(endpoint) || !isObject(keys)) return undefined
  const { p256dh, auth } = keys
  if (typeof p256dh !== 'string' || typeof auth !== 'string' || !areUsable({ p256dh, auth })) return undefined
  return { endpoint, keys: { p256dh, auth } }
}

function isPushEndpoint(endpoint: string): boolean {
  if (endpoint.length > MAX_ENDPOINT || !isUrl(endpoint)) return false
  const { protocol, username, password, hash: fragment } = new URL(endpoint)
  return protocol === 'https:' && username === '' && password === '' && fragment === ''
}

/** Stores a browser of a person, or notes that it was used. @throws StorageUnavailable */
export function keepSubscription(
  { storage }: SubscriptionContext,
  username: string,
  { endpoint, keys, browser, language, added_at }: PushSubscription,
): Promise<void> {
  const text = JSON.stringify({ endpoint, keys, ...(browser && { browser }), language, added_at })
  const entry = { name: idOf(endpoint), text }
  return storage.bounded.put({ notices_of: username }, [entry], { ttl: TTL, max: MAX_BROWSERS })
}

/** Notes once in a quarter that a browser was used, so that it does not end. @throws StorageUnavailable */
export async function noteUsed(
  context: SubscriptionContext,
  username: string,
  used: StoredSubscription,
): Promise<void> {
  if (used.ends_in < TTL / 2) await keepSubscription(context, username, used)
}

/** Returns the browsers of a person, the newest first. @throws StorageUnavailable */
export async function subscriptionsOf(
  { storage }: SubscriptionContext,
  username: string,
): Promise<StoredSubscription[]> {
  const entries = await storage.bounded.read({ notices_of: username })
  return entries.flatMap(({ name, text, ends_in }) => {
    const stored = parseObject(text) as PushSubscription | undefined
    return stored === undefined ? [] : [{ ...stored, id: name, ends_in }]
  })
}

/** Removes a browser. @throws StorageUnavailable */
export async function dropSubscription(
  { storage }: SubscriptionContext,
  username: string,
  id: string,
): Promise<boolean> {
  return storage.bounded.drop({ notices_of: username }, id)
}

/** The name of a subscription, which pages show: it does not say where messages go. The script computes it, too. */
const idOf = (endpoint: string) => hash('sha256', endpoint, 'base64url')
