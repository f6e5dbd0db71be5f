import type { Settings } from '../config/settings.ts'
import type { Origin } from '../core/audit-entries.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { Storage } from '../storage/storage.ts'
import type { TrailPart } from '../storage/trail.ts'
import { maxOf, partOf, shownId, type TrailPartName } from './parts.ts'
import type { AuditRecorder } from './recorder.ts'

/** What trimming works with. */
export interface TrimContext {
  readonly storage: Pick<Storage, 'trail'>
  readonly settings: Pick<Settings, 'audit_days' | 'audit_max'>
  readonly recorder: Pick<AuditRecorder, 'entriesOf'>
  /** Told of the ids of entries of a part that were deleted. */
  readonly trimmed?: ((part: TrailPartName, ids: readonly string[]) => Promise<void>) | undefined
  /** Reports an event that a write took along. */
  readonly report: (event: SecurityEvent) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** So few that no other command of Redis waits for long. */
const PER_STEP = 500
/**
 * The share of what a part may have that trimming leaves, so that not each further entry is followed by a trimming,
 * which is one, too.
 */
const KEPT = 0.99
const DAY = 86_400_000
const OF_SERVER: Origin = { channel: 'server' }

/**
 * Deletes the oldest entries of a part, if there are too many or they are too old, in small steps. Each step is an entry
 * itself.
 * @returns how many steps it took
 * @throws StorageUnavailable
 */
export async function trimTrail(context: TrimContext, part: TrailPartName = 'changes'): Promise<number> {
  const { storage, settings, recorder, trimmed, report, now } = context
  const trail = partOf(storage.trail, part)
  const limits = { max: maxOf(part, settings.audit_max), days: settings.audit_days }
  let enough = 1
  for (let steps = 0; steps < enough; steps++) {
    const step = await nextStep(trail, limits, now())
    if (step === undefined) return steps
    const { before, ids, size } = step
    // To a clock that is days ahead of that of Redis the entry of each step is too old, too.
    if (steps === 0) enough = 1 + Math.ceil(size / PER_STEP)
    const event: SecurityEvent = { event: 'audit_trimmed', before: shownId(before, part), part }
    if (!(await trail.trim(before, recorder.entriesOf([event], {}, OF_SERVER)))) continue
    report(event)
    await trimmed?.(part, ids)
  }
  return enough
}

/**
 * The id of the first entry that stays in the next step, those of the others, and how many entries there are; undefined: all
 * stay.
 */
async function nextStep(
  trail: TrailPart,
  { max, days }: { readonly max: number; readonly days: number },
  now: number,
): Promise<{ readonly before: string; readonly ids: readonly string[]; readonly size: number } | undefined> {
  const [size, [oldest]] = await Promise.all([trail.size(), trail.read({ limit: 1 })])
  const cut = now - days * DAY
  const is_old = (id: string) => Number(id.split('-')[0]) < cut
  const surplus = size > max ? size - Math.floor(max * KEPT) : 0
  if (oldest === undefined || (surplus === 0 && !is_old(oldest.id))) return undefined
  const first = await trail.read({ limit: PER_STEP + 1 })
  const stays = first.findIndex(({ id }, i) => i >= surplus && !is_old(id))
  // All that were read go: the last one of them stays for the next step.
  const ids = first.map(({ id }) => id)
  const end = stays === -1 ? ids.length - 1 : stays
  const before = ids[end]
  // A single old entry stays until another one says that it went: nothing can be deleted before it.
  return before === undefined || end === 0 ? undefined : { before, ids: ids.slice(0, end), size }
}
