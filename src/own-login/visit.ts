// A visit of a browser to a page of an application: what a sign-in and a consent there share.
import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { parseObject } from '../core/json.ts'
import { type Link, newLink, readLink } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { randomText } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { readSiteState } from '../interaction/site-state.ts'
import { giveBack, isUsed, type UseContext, usedFor, useFor } from '../interaction/use-once.ts'
import type { Sealer } from '../keys/sealer.ts'
import { type Evidence, evidenceTag } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'

/** What `refuse` sends the browser back with (RFC 6749 §4.1.2.1). */
export const REFUSED = 'access_denied'

/** What is kept of a visit until the browser comes back. */
export interface OwnVisit {
  /** Random. */
  readonly id: string
}

/** A visit that waits for the application, and the request that waits for it. */
export interface OpenVisit<Kept extends OwnVisit = OwnVisit> {
  /** The name of its rounds. */
  readonly name: string
  /** The challenge. */
  readonly text: string
  readonly visit: Kept
  readonly pending: PendingRecord
}

/** What it takes to read challenges. */
export interface OwnChallengeContext {
  readonly sealer: Pick<Sealer, 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What it takes to answer them. */
export interface OwnVisitContext extends UseContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer'>
}

/** Returns what is kept of a new visit. */
export const newVisit = (kept: object = {}): string => JSON.stringify({ id: randomText(16), ...kept })

/** Reads it; undefined: it is of something else. */
export function readVisit<Kept extends OwnVisit>(challenge: string): Kept | undefined {
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
 * Reads a challenge, which is the `state` of the visit. Nothing is stored for it. Undefined: it is over, none, or not whole.
 * @param name that of its rounds
 * @throws StorageUnavailable, as Sealer.open
 */
export function openVisit<Kept extends OwnVisit>(
  context: OwnChallengeContext,
  name: string,
  text: string,
): OpenVisit<Kept> | undefined {
  // A request that waits on a page of redmint is none.
  const pending = readSiteState(context, text)
  if (pending?.round.method !== name) return undefined
  const visit = readVisit<Kept>(pending.round.challenge)
  return visit && { name, text, visit, pending }
}

/** Whether a challenge was answered. @throws StorageUnavailable */
export function isAnswered(context: Pick<OwnVisitContext, 'storage'>, { name, visit }: OpenVisit) {
  return isUsed(context, name, visit.id)
}

/**
 * Answers a challenge: true for the first caller, and for who repeats the same answer, because that of redmint was lost;
 * false for all others.
 * @param answer what the application says
 * @throws StorageUnavailable
 */
export function answerFirst(
  context: OwnVisitContext,
  { name, visit, pending }: OpenVisit,
  answer: unknown,
): Promise<boolean> {
  const seconds = (pending.ends_at - context.now()) / 1000
  const mark = answer === REFUSED ? REFUSED : hash('sha256', JSON.stringify(answer), 'base64url')
  return useFor(context, { method: name, text: visit.id, seconds, mark })
}

/** Gives a challenge back whose answer came to nothing. @throws StorageUnavailable */
export function giveBackVisit(context: OwnVisitContext, { name, visit }: OpenVisit): Promise<void> {
  return giveBack(context, name, visit.id)
}

/**
 * Whether the application refused: who has nothing but the challenge cannot say so in its place.
 * @throws StorageUnavailable
 */
export async function isRefused(
  context: Pick<UseContext, 'storage'>,
  name: string,
  { id }: OwnVisit,
): Promise<boolean> {
  return (await usedFor(context, name, id)) === REFUSED
}

/** Takes the word of an application that the person refuses. @throws StorageUnavailable */
export async function refuseVisit(
  context: OwnVisitContext,
  open: OpenVisit,
): Promise<{ readonly redirect_to: string } | { readonly problem: 'answered' }> {
  if (!(await answerFirst(context, open, REFUSED))) return { problem: 'answered' }
  return { redirect_to: backTo(context.settings, { state: open.text, error: REFUSED }) }
}

/**
 * What a verifier proves: a value, for one visit of one request, which belongs to one browser.
 * @param request its requestName
 */
export function verifierEvidence(
  name: string,
  { id }: OwnVisit,
  request: string,
  value: string,
  account_state: string,
): Evidence {
  // Each visit is a purpose: what the person does in another browser at the same time does not end it.
  return { purpose: `${name} ${id}`, step: '', browser: request, value, account_state }
}

/** How long the browser has to come back with a verifier, in milliseconds. */
const VERIFIER_ENDS = 300_000

/**
 * Keeps what a verifier proves, and returns where the browser brings it, in this parameter.
 * @param created_at when that began to be judged, in milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function giveVerifier(
  { storage, settings }: OwnVisitContext,
  { text, pending }: OpenVisit,
  parameter: string,
  account: string,
  created_at: number,
  evidence: Evidence,
): Promise<{ readonly redirect_to: string }> {
  const link = newLink(evidenceTag(account))
  const ends_at = Math.min(created_at + VERIFIER_ENDS, pending.ends_at)
  await storage.evidence.give(link.digest, { ...evidence, account, created_at, ends_at })
  return { redirect_to: backTo(settings, { state: text, [parameter]: link.text }) }
}

/**
 * Finds what a verifier proves; undefined: nothing, or not any more. It counts when it is taken.
 * @throws StorageUnavailable
 */
export async function findVerifier({ storage }: Pick<OwnVisitContext, 'storage'>, text: string | undefined) {
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
