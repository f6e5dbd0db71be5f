import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** What was used up, by a digest: a challenge that was met, another text of a sign-in method, or a form. */
const USED: Kind<{ readonly used_at: string; readonly mark: string }> = {
  name: 'challenge',
  format: ({ used_at, mark }) => ({ used_at, ...(mark !== '' && { mark }) }),
  parse: ({ used_at = '', mark = '' }) => ({ ok: true, record: { used_at, mark } }),
}

/** What it takes to use something once. */
export interface UseContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Uses up a text for so many seconds: true for the first caller, false for all others.
 * @throws StorageUnavailable
 */
export async function useOnce(
  context: UseContext,
  method: string,
  text: string,
  seconds: number,
): Promise<boolean> {
  return createUse(context, { method, text, seconds, mark: '' })
}

/**
 * Uses up a text as useOnce, for what a mark names: true also for who repeats the same, because the answer was lost.
 * @throws StorageUnavailable
 */
export async function useFor(context: UseContext, use: Use): Promise<boolean> {
  if (await createUse(context, use)) return true
  return (await usedFor(context, use.method, use.text)) === use.mark
}

/** A text of a method, for how many seconds it is used up, and what for. */
interface Use {
  readonly method: string
  readonly text: string
  readonly seconds: number
  readonly mark: string
}

async function createUse({ storage, now }: UseContext, use: Use): Promise<boolean> {
  const { method, text, seconds, mark } = use
  const used_at = new Date(now()).toISOString()
  // A replica whose clock is behind still accepts the text.
  const ttl = Math.max(0, Math.ceil(seconds)) + CLOCK_SKEW
  return (await storage.records.create(write(USED, digestOf(method, text), { used_at, mark }, ttl))) === 'ok'
}

/** Returns what a text was used up for; undefined: it was not, or for nothing that was named. @throws StorageUnavailable */
export async function usedFor(
  { storage }: Pick<UseContext, 'storage'>,
  method: string,
  text: string,
): Promise<string | undefined> {
  const found = recordOf(await storage.records.read(USED, digestOf(method, text)))
  return found?.mark || undefined
}

/** Notes what a text is used up for, whatever it was used up for before. @throws StorageUnavailable */
export async function useAgain({ storage, now }: UseContext, use: Use): Promise<void> {
  const { method, text, seconds, mark } = use
  const used_at = new Date(now()).toISOString()
  const ttl = Math.ceil(seconds) + CLOCK_SKEW
  await storage.records.put(write(USED, digestOf(method, text), { used_at, mark }, ttl))
}

/** Gives a text back that was used up for what did not happen. @throws StorageUnavailable */
export async function giveBack(
  { storage }: Pick<UseContext, 'storage'>,
  method: string,
  text: string,
): Promise<void> {
  await storage.records.take(USED, digestOf(method, text))
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
