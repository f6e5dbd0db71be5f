import type { Settings } from '../config/settings.ts'
import type { Block, TrailEntry, TrailPart } from '../storage/trail.ts'
import { digestOf, signText } from './signature.ts'

/** A block of the chain: entries that follow each other in the trail, and the signature of the block before. */
export interface ChainBlock {
  /** The signature of the block before; empty: it is the first one. */
  readonly before: string
  /** The ids of its entries with their digests. */
  readonly entries: readonly (readonly [id: string, digest: string])[]
  readonly mac: string
}

/** What sealing works with. */
export interface ChainContext {
  readonly settings: Pick<Settings, 'audit_days' | 'audit_key'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The last block that a server saw: the chain does not begin anew. */
export interface SeenChain {
  last?: string | undefined
}

const PER_BLOCK = 200
const DAY = 86_400

/**
 * Adds the entries of a part that are not in its chain yet, in blocks. Storage decides about the order of the entries,
 * and about which of several servers adds the next block, so none of them waits for another one.
 * @param seen what the server saw of the chain before
 * @throws StorageUnavailable; ChainError if the last block cannot be read
 */
export async function sealEntries(
  trail: TrailPart,
  { settings, now }: ChainContext,
  seen: SeenChain = {},
): Promise<void> {
  const { audit_key, audit_days } = settings
  if (audit_key === undefined) return
  for (;;) {
    const [last] = await trail.blocks({ is_reverse: true, limit: 1 })
    const before = last && parseBlock(last)
    // A part in which nothing happens for long expires as a whole.
    const is_over = Number(seen.last?.split('-')[0]) + audit_days * DAY * 1000 <= now()
    const is_cut = last === undefined && seen.last !== undefined && !is_over
    if (is_cut || (last !== undefined && before === undefined)) throw new ChainError()
    seen.last = last?.id
    const entries = await trail.read({ after: before?.entries.at(-1)?.[0], limit: PER_BLOCK })
    if (entries.length === 0) return
    const is_sealed = await trail.seal(
      last?.id,
      blockText(audit_key, before?.mac ?? '', entries),
      audit_days * DAY,
    )
    if (is_sealed && entries.length < PER_BLOCK) return
  }
}

/** The last block of the chain is not one that redmint wrote. */
export class ChainError extends Error {
  constructor() {
    super('The end of the chain of the audit trail was changed or deleted: no entry is added to it any more.')
  }
}

function blockText(key: string, before: string, entries: readonly TrailEntry[]): string {
  const told = entries.map(({ id, text }) => [id, digestOf(text)] as const)
  return JSON.stringify({
    before,
    entries: told,
    mac: signText(key, signedPart({ before, entries: told }), 'block'),
  })
}

/** The part of a block that its signature is about. */
export function signedPart({ before, entries }: Omit<ChainBlock, 'mac'>): string {
  return JSON.stringify([before, entries])
}

/** Returns a block by its text; undefined: redmint did not write it. */
export function parseBlock({ text }: Block): ChainBlock | undefined {
  try {
    const block = JSON.parse(text) as ChainBlock
    const is_block =
      typeof block.before === 'string' &&
      typeof block.mac === 'string' &&
      block.entries.length > 0 &&
      block.entries.every((entry) => entry.length === 2 && entry.every((part) => typeof part === 'string'))
    return is_block ? block : undefined
  } catch {
    return undefined
  }
}
