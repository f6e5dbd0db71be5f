// The `state` with which a browser goes to another site: the request that waits, sealed, and a proof of the browser.
import { hash } from 'node:crypto'
import type { Transaction } from '../core/ids.ts'
import { type AnswerBinding, siteTokenOf } from './answer-token.ts'
import type { OpenRound, PendingRecord } from './pending-record.ts'
import { type PendingContext, readPending, sealPending } from './pending-request.ts'

/** A request that waits for the answer of another site. */
export type WaitingElsewhere = PendingRecord & { readonly round: OpenRound }

/**
 * Seals a request for the way to another site.
 * @param asked what the answer is bound to
 * @throws StorageUnavailable, as Sealer.seal
 */
export function siteState(
  context: Pick<PendingContext, 'sealer'>,
  asked: AnswerBinding,
  { round, ...pending }: WaitingElsewhere,
): string {
  const token = siteTokenOf(asked)
  const sealed = sealPending(context, { ...pending, round: { ...round, token_digest: digestOf(token) } })
  return `${sealed}.${token}`
}

/**
 * Reads the `state` of a request that waits for another site, whose browser is not here; undefined: it is over, none, or
 * not whole. What the proof in it is worth shows when the browser comes back.
 * @throws StorageUnavailable, as Sealer.open
 */
export function readSiteState(
  context: Parameters<typeof readPending>[0],
  text: string,
): WaitingElsewhere | undefined {
  // What is sealed has a dot of its own: without one nothing opens.
  const end = text.lastIndexOf('.')
  const pending = readPending(context, text.slice(0, end) as Transaction)
  const { round } = pending ?? {}
  if (pending === undefined || round?.from !== 'site') return undefined
  return round.token_digest === digestOf(text.slice(end + 1)) ? { ...pending, round } : undefined
}

const digestOf = (token: string) => hash('sha256', `site ${token}`, 'base64url').slice(0, 22)
