import { hash } from 'node:crypto'
import { SECRET_SETTINGS } from '../config/secret-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Storage } from '../storage/storage.ts'

/** Settings that are about one machine and its surroundings. */
const LOCAL: ReadonlySet<string> = new Set<keyof Settings>([
  'argon2_concurrency',
  'client_certificate_proxies',
  'proxy_strips_path',
  'smtp_url',
  'smtp_tls',
  'smtp_name',
  // Servers do not start with another one.
  'key_encryption_key',
])

/** Longer values are shown as a digest. */
const MAX_LENGTH = 200
const DIGEST_DIGITS = 8

/** What a server works with, as far as all servers of one Redis must agree on it. */
export interface AgreedContext {
  readonly settings: Settings
  readonly storage: Pick<Storage, 'tokens_at_rest'>
}

/**
 * Returns the settings in which all servers must agree, by name. Of a secret there are 32 bits of its digest: enough to see
 * that two differ, and of no use to whoever wants to find a salt that is hard to guess.
 */
export function agreedSettings({ settings, storage }: AgreedContext): Record<string, string> {
  const all = Object.entries({ ...settings, tokens_at_rest: storage.tokens_at_rest })
  return Object.fromEntries(
    all
      .filter(([name, value]) => value !== undefined && !LOCAL.has(name))
      .map(([name, value]): [string, string] => [name, textOf(name, value)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Returns a digest of agreed settings, short enough to be compared by eye. */
export function settingsDigest(agreed: Readonly<Record<string, string>>): string {
  return digestOf(Object.entries(agreed))
}

function textOf(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const is_hidden = SECRET_SETTINGS.has(name) || (text.length > MAX_LENGTH && name !== 'issuer')
  return is_hidden ? `sha256:${digestOf([name, text])}` : text
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, DIGEST_DIGITS)
}
