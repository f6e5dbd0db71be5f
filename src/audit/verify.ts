import type { Storage } from '../storage/storage.ts'
import type { Block, TrailEntry, TrailPart } from '../storage/trail.ts'
import { type ChainBlock, parseBlock, signedPart } from './chain.ts'
import { readEntry } from './entry.ts'
import { PARTS, partOf, placeOf, shownId, type TrailPartName } from './parts.ts'
import { digestOf, hasSignature } from './signature.ts'

/** What is wrong with the trail. */
export const FAULTS = [
  'missing',
  'changed',
  'moved',
  'forged',
  'repeated',
  'block_missing',
  'block_changed',
] as const
export type TrailFault = (typeof FAULTS)[number]

/** What verifying found of a part. */
export interface VerifiedPart {
  readonly part: TrailPartName
  /** How many entries were looked at. */
  readonly entries: number
  /** Entries that are not in the chain yet. */
  readonly unsealed: number
  /** The id of the first entry that retention kept; absent: nothing was deleted. */
  readonly trimmed_before?: string
  /** The signature of the last block: noted elsewhere, it shows later that the end was not cut off. */
  readonly head?: string
}

/** What verifying found. */
export interface TrailVerification {
  readonly parts: readonly VerifiedPart[]
  readonly faults: readonly { readonly fault: TrailFault; readonly id: string }[]
}

const PER_READ = 500

/** Reads everything of a stream, in parts. */
async function* all<Item extends { id: string }>(
  read: (range: { after?: string | undefined; limit: number }) => Promise<Item[]>,
): AsyncGenerator<Item> {
  let after: string | undefined
  for (;;) {
    const items = await read({ after, limit: PER_READ })
    yield* items
    if (items.length < PER_READ) return
    after = items.at(-1)?.id
  }
}

/**
 * Compares the trail with its signatures and its chains. Entries that retention deleted are not missing: an entry of the
 * same part, which is signed as all others, says from which one on all are there. The chain has to reach back to it.
 * @param max_faults so many are named
 * @throws StorageUnavailable
 */
export async function verifyTrail(
  { trail }: Pick<Storage, 'trail'>,
  key: string,
  max_faults = 100,
): Promise<TrailVerification> {
  const faults: { fault: TrailFault; id: string }[] = []
  const parts: VerifiedPart[] = []
  for (const part of PARTS) {
    const note = (fault: TrailFault, id: string) =>
      void (faults.length < max_faults && faults.push({ fault, id: shownId(id, part) }))
    parts.push(await verifyPart(partOf(trail, part), part, key, note))
  }
  return { parts, faults }
}

async function verifyPart(
  trail: TrailPart,
  part: TrailPartName,
  key: string,
  note: (fault: TrailFault, id: string) => void,
): Promise<VerifiedPart> {
  const digests = new Map<string, string>()
  const uids = new Set<string>()
  const places = new Map<string, string>()
  const forged = new Set<string>()
  let kept_from: string | undefined
  for await (const entry of all((range) => trail.read(range))) {
    const { id, text } = entry
    const digest = digestOf(text)
    digests.set(id, digest)
    if (!isSigned(entry, key)) {
      forged.add(id)
      continue
    }
    if (uids.has(digest)) note('repeated', id)
    uids.add(digest)
    places.set(digest, id)
    const before = trimmedBefore(entry, part)
    if (before !== undefined && (kept_from === undefined || isBefore(kept_from, before))) kept_from = before
  }
  let block_before: ChainBlock | undefined
  let sealed_to: string | undefined
  for await (const stored of all((range) => trail.blocks(range))) {
    const block = checkedBlock(stored, key)
    if (block === undefined) {
      note('block_changed', stored.id)
      block_before = undefined
      continue
    }
    const starts = sealed_to === undefined
    const follows = starts ? reachesBack(block, kept_from) : block.before === block_before?.mac
    if (!follows) note('block_missing', stored.id)
    for (const [id, digest] of block.entries) {
      const found = digests.get(id)
      digests.delete(id)
      if (found === digest) {
        if (forged.has(id)) note('forged', id)
        continue
      }
      if (found === undefined) {
        if (kept_from === undefined || !isBefore(id, kept_from))
          note(places.has(digest) ? 'moved' : 'missing', id)
      } else {
        note(places.has(digest) ? 'moved' : 'changed', id)
      }
    }
    block_before = block
    sealed_to = block.entries.at(-1)?.[0]
  }
  // What is left is in no block: new, or put between others.
  let unsealed = 0
  for (const id of digests.keys()) {
    if (sealed_to !== undefined && !isBefore(sealed_to, id) && !isTrimmed(id, kept_from)) note('forged', id)
    else if (forged.has(id)) note('forged', id)
    else unsealed += 1
  }
  return {
    part,
    entries: await trail.size(),
    unsealed,
    ...(kept_from !== undefined && { trimmed_before: shownId(kept_from, part) }),
    ...(block_before !== undefined && { head: block_before.mac }),
  }
}

/** Whether nothing is missing before the first block that there is: it is the first one ever, or has what retention kept. */
function reachesBack({ before, entries }: ChainBlock, kept_from: string | undefined): boolean {
  if (kept_from === undefined) return before === ''
  const [[first] = ['']] = entries
  return !isBefore(kept_from, first)
}

const isTrimmed = (id: string, kept_from: string | undefined) =>
  kept_from !== undefined && isBefore(id, kept_from)

function isSigned({ text, mac }: TrailEntry, key: string): boolean {
  return mac !== undefined && hasSignature(key, text, mac)
}

/** The id before which an entry says that retention deleted all of this part. */
function trimmedBefore({ id, text }: TrailEntry, part: TrailPartName): string | undefined {
  const entry = readEntry(id, text, part)
  const { before, part: of } = entry?.event === 'audit_trimmed' ? (entry.details ?? {}) : {}
  // One of another part, moved here, says nothing of this one.
  return typeof before === 'string' && of === part ? placeOf(before).id : undefined
}

function checkedBlock(stored: Block, key: string): ChainBlock | undefined {
  const block = parseBlock(stored)
  return block && hasSignature(key, signedPart(block), block.mac, 'block') ? block : undefined
}

function isBefore(one: string, other: string): boolean {
  const [ms = 0, number = 0] = one.split('-').map(Number)
  const [other_ms = 0, other_number = 0] = other.split('-').map(Number)
  return ms < other_ms || (ms === other_ms && number < other_number)
}
