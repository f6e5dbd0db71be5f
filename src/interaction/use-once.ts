import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { type Kind, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** What a sign-in method used up, by a digest: a challenge that was met, or another text of the method. */
const USED: Kind<{ readonly used_at: string }> = {
  name: 'challenge',
  format: ({ used_at }) => ({ used_at }),
  parse: ({ used_at = '' }) => ({ ok: true, record: { used_at } }),
}

/** What it takes to use something once. */
export interface UseContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Uses up a text of a sign-in method for so many seconds: true for the first caller, false for all others.
 * @throws StorageUnavailable
 */
export async function useOnce(
  { storage, now }: UseContext,
  method: string,
  text: string,
  seconds: number,
): Promise<boolean> {
  const digest = digestOf(method, text)
  const used_at = new Date(now()).toISOString()
  // A replica whose clock is behind still accepts the text.
  const ttl = Math.max(0, Math.ceil(seconds)) + CLOCK_SKEW
  return (await storage.records.create(write(USED, digest, { used_at }, ttl))) === 'ok'
}

/** Whether a text of a sign-in method was used up. @throws StorageUnavailable */
export async function isUsed(
  { storage }: Pick<UseContext, 'storage'>,
  method: string,
  text: string,
): Promise<boolean> {
  return (await storage.records.read(USED, digestOf(method, text))) !== undefined
}

const digestOf = (method: string, text: string) => hash('sha256', `${method} ${text}`, 'base64url')
