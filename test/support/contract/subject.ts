// The storages that the contract tests, and the records that it uses.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { Watcher } from '../../../src/storage/changes.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import type { CodeRedemption } from '../../../src/tokens/token-families.ts'
import { parseTokenRecord, type TokenRecord } from '../../../src/tokens/token-record.ts'
import { newSuccessor, saveCode } from '../records.ts'
import { until } from '../until.ts'

/** An empty storage under test, one for each test. */
export interface Subject {
  storage: Storage
  /** Advances the clock of the storage; undefined if only real time does. */
  advance?(seconds: number): void
  /** The Redis behind the storage. */
  redis?: RedisSide
}

export interface RedisSide {
  prefix: string
  /** Runs redis-cli on the node that holds the key. */
  cli(...command: string[]): Promise<string>
  /** Runs redis-cli on every node that holds keys. */
  all(...command: string[]): Promise<string[]>
}

/** Opens an empty storage for a test of the contract. */
export interface ContractSubject extends Subject {
  /** How many tokens a family index may keep, for tests that it does not grow. */
  sizeOf(family: string): Promise<number>
}

export type Make = (t: Test) => Promise<ContractSubject>

export const CODE = {
  client_id: 'app',
  redirect_uri: 'https://app.example/callback?a=1&b=2',
  scope: 'openid api.read',
  subject: 'alice',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  nonce: 'n-0S6_WzA2Mj',
  auth_time: 1_795_000_000,
} satisfies CodeRecord

/** Saves a new code and prepares the right attempt to redeem it. */
export async function issueCode(storage: Storage, record: CodeRecord = CODE, ttl = 60) {
  const grant = newFamilyId()
  const code = newToken(grant)
  await saveCode(storage, code, record, ttl)
  return { grant, code, attempt: (operation: string) => attempt(grant, operation, record) }
}

/** The right attempt to redeem a code of this grant, with new tokens. */
export function attempt(
  grant: string,
  operation: string,
  { client_id, redirect_uri, code_challenge }: CodeRecord = CODE,
) {
  return {
    client_id,
    redirect_uri,
    ...(code_challenge === undefined ? {} : { code_challenge }),
    operation,
    access_token: newToken(grant),
    refresh_token: newRefreshToken(grant),
    access_token_ttl: 900,
    refresh_token_ttl: 3600,
  } satisfies CodeRedemption
}

/** A new refresh token of a family. All of them share the first part of the secret, as those of redmint do. */
export function newRefreshToken(grant: string): string {
  return newSuccessor(`${grant}.${grant.padEnd(43, '-')}`)
}

/** Reads a token with the reader of token records. */
export async function readToken(storage: Storage, token: string): Promise<TokenRecord | undefined> {
  const hash = await storage.families.findToken(token)
  if (hash === undefined) return undefined
  const parsed = parseTokenRecord(token, hash)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.record
}

/** Everything that can be read about a token family, to compare before and after. */
export async function readFamily(storage: Storage, grant: string, ...tokens: string[]) {
  return {
    grant: await storage.families.findFamily(grant),
    tokens: await Promise.all(tokens.map((token) => storage.families.findToken(token))),
  }
}

/** Lets time pass: advances the clock if it can be moved, else waits until `over` holds. */
export async function pass(
  { advance }: Subject,
  seconds: number,
  over: () => Promise<boolean>,
): Promise<void> {
  advance?.(seconds)
  await until(`${seconds} seconds are over`, over)
}

/** Collects the notices that a watcher gets. */
export function watcher() {
  const told = { changed: [] as string[], all: 0 }
  const watch: Watcher = {
    changed: (client_id) => told.changed.push(client_id),
    allChanged: () => {
      told.all += 1
    },
  }
  return { told, watch }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
