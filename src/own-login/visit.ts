// A visit of a browser to a page of an application: what a sign-in and a consent there share.
import { type Link, newLink, readLink } from '../account/link.ts'
import type { Settings } from '../config/settings.ts'
import type { Transaction } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import { PATHS } from '../core/paths.ts'
import { randomText } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { readPending } from '../interaction/pending-request.ts'
import { isUsed, type UseContext, useOnce } from '../interaction/use-once.ts'
import type { Sealer } from '../keys/sealer.ts'
import { type Evidence, evidenceTag } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'

/** What `refuse` sends the browser back with (RFC 6749 §4.1.2.1). */
export const REFUSED = 'access_denied'

/** What is kept of a visit until the browser comes back. */
export interface Visit {
  /** Random. */
  readonly id: string
}

/** A visit that waits for the application, and the request that waits for it. */
export interface OpenVisit<Kept extends Visit = Visit> {
  /** The name of its rounds. */
  readonly name: string
  /** The challenge. */
  readonly text: string
  readonly visit: Kept
  readonly pending: PendingRecord
}

/** What it takes to read challenges. */
export interface ChallengeContext {
  readonly sealer: Pick<Sealer, 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What it takes to answer them. */
export interface VisitContext extends UseContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer'>
}

/** Returns what is kept of a new visit. */
export const newVisit = (kept: object = {}): string => JSON.stringify({ id: randomText(16), ...kept })

/** Reads it; undefined: it is of something else. */
export function readVisit<Kept extends Visit>(challenge: string): Kept | undefined {
  const found = parseObject(challenge) as Partial<Kept> | undefined
  return typeof found?.id === 'string' ? (found as Kept) : undefined
}

/** Returns the address of a page of the application, with a challenge in a parameter. */
export function pageWith(page: string, parameter: string, challenge: string): string {
  const url = new URL(page)
  url.searchParams.set(parameter, challenge)
  return url.href
}

/**
 * Reads a challenge, which is the `state` of the visit: the request that waits, sealed, and a proof of the browser, which
 * counts when the browser comes back. Nothing is stored for it. Undefined: it is over, or none.
 * @param name that of its rounds
 * @throws StorageUnavailable, as Sealer.open
 */
export function openVisit<Kept extends Visit>(
  context: ChallengeContext,
  name: string,
  text: string,
): OpenVisit<Kept> | undefined {
  // What is sealed has a dot of its own: without one nothing opens.
  const pending = readPending(context, text.slice(0, text.lastIndexOf('.')) as Transaction)
  const { round } = pending ?? {}
  // A request that waits on a page of redmint is none.
  if (pending === undefined || round?.from !== 'site' || round.method !== name) return undefined
  const visit = readVisit<Kept>(round.challenge)
  return visit && { name, text, visit, pending }
}

/** Whether a challenge was answered. @throws StorageUnavailable */
export function isAnswered(context: Pick<VisitContext, 'storage'>, { name, visit }: OpenVisit) {
  return isUsed(context, name, visit.id)
}

/** Answers a challenge: true for the first caller, false for all others. @throws StorageUnavailable */
export function answerFirst(context: VisitContext, { name, visit, pending }: OpenVisit): Promise<boolean> {
  return useOnce(context, name, visit.id, (pending.ends_at - context.now()) / 1000)
}

/** Takes the word of an application that the person refuses. @throws StorageUnavailable */
export async function refuseVisit(
  context: VisitContext,
  open: OpenVisit,
): Promise<{ readonly redirect_to: string } | { readonly problem: 'answered' }> {
  if (!(await answerFirst(context, open))) return { problem: 'answered' }
  return { redirect_to: backTo(context.settings, { state: open.text, error: REFUSED }) }
}

/**
 * What a verifier proves: a value, for one visit of one request, which belongs to one browser.
 * @param request its requestName
 */
export function verifierEvidence(
  name: string,
  { id }: Visit,
  request: string,
  value: string,
  account_state: string,
): Evidence {
  // Each visit is a purpose: what the person does in another browser at the same time does not end it.
  return { purpose: `${name} ${id}`, step: '', browser: request, value, account_state }
}

/** How long the browser has to come back with a verifier, in milliseconds. */
const VERIFIER_ENDS = 300_000

/** Keeps what a verifier proves, and returns where the browser brings it, in this parameter. @throws StorageUnavailable */
export async function giveVerifier(
  { storage, settings, now }: VisitContext,
  { text, pending }: OpenVisit,
  parameter: string,
  account: string,
  evidence: Evidence,
): Promise<{ readonly redirect_to: string }> {
  const link = newLink(evidenceTag(account))
  const created_at = now()
  const ends_at = Math.min(created_at + VERIFIER_ENDS, pending.ends_at)
  await storage.evidence.give(link.digest, { ...evidence, account, created_at, ends_at })
  return { redirect_to: backTo(settings, { state: text, [parameter]: link.text }) }
}

/** Finds what a verifier proves; undefined: nothing, or not any more. It counts when it is taken. @throws StorageUnavailable */
export async function findVerifier({ storage }: Pick<VisitContext, 'storage'>, text: string | undefined) {
  const link: Link | undefined = readLink(text)
  const kept = link && (await storage.evidence.read(link.tag, link.digest))
  if (link === undefined || kept === undefined) return undefined
  const take = async (expected: Evidence) =>
    (await storage.evidence.take(link.tag, link.digest, expected)) === 'taken'
  return { kept, take }
}

// It begins with the issuer, whatever a request says.
function backTo({ issuer }: Pick<Settings, 'issuer'>, query: Readonly<Record<string, string>>): string {
  return withQuery(issuer + PATHS.interaction, query)
}
