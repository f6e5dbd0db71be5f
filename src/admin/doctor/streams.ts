import type { Settings } from '../../config/settings.ts'
import { count } from '../../core/count.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import type { Storage } from '../../storage/storage.ts'
import { allStreams, type Stream } from '../streams.ts'

/** How often in a row a receiver takes nothing that is pushed, until it is named. */
const FAILING = 3
/** For how many milliseconds something may wait. */
const LONG = 86_400_000
/** How many names a line has at most. */
const SHOWN = 5

/** Returns the finding about receivers of security events: whether they take what waits. @throws StorageUnavailable */
export async function streamFindings(
  storage: Pick<Storage, 'records' | 'outboxes' | 'lists'>,
  { shared_signals }: Pick<Settings, 'shared_signals'>,
  now: number,
): Promise<Finding[]> {
  if (shared_signals === 'off') return []
  const { ok, warning } = findingsOf('receivers of signals')
  const streams = await allStreams(storage)
  const dead = streams.filter((stream) => isDead(stream, now)).map(({ client_id }) => client_id)
  if (dead.length === 0) return [ok(`${count(streams.length, 'stream')}, whose receivers take what is sent`)]
  const names = `${dead.sort().slice(0, SHOWN).join(', ')}${dead.length > SHOWN ? ', …' : ''}`
  return [
    warning(
      `not taken by ${names} for a day, or ${FAILING} times in a row`,
      'redmint stream list shows what waits; then ask who runs the receiver.',
    ),
  ]
}

function isDead({ failures, status, waiting_since }: Stream, now: number): boolean {
  if (status === 'disabled') return false
  return failures >= FAILING || (waiting_since !== undefined && now - Date.parse(waiting_since) > LONG)
}
