import type { About, AuditEntries } from './audit-entries.ts'
import type { ReportEvent, SecurityEvent } from './events.ts'

/** What a write says that changed nothing: the record was missing, or not as expected. */
type NotMade = (typeof NOT_MADE)[number]
const NOT_MADE = ['missing', 'exists', 'again', 'mismatch', 'refused', false, undefined] as const

/** What a write says. */
type Outcome = 'ok' | 'taken' | 'queued' | true | object | NotMade

/** Who is told of events; absent: nobody. */
interface Reporting {
  readonly report?: ReportEvent | undefined
}

/**
 * Makes a change with its events: the write takes along what the audit trail says of them, and they are reported if it
 * was made.
 * @param events none: only the change is made
 * @param write makes the change, in one step with what it is given for the audit trail
 * @returns what `write` returns
 * @throws any error of `write`: then nothing is reported
 */
export async function commit<T extends Outcome>(
  context: Reporting,
  events: readonly SecurityEvent[],
  about: About,
  write: (told: AuditEntries | undefined) => Promise<T>,
): Promise<T> {
  const outcome = await withEntries(context, events, about, write)
  const not_made: readonly Outcome[] = NOT_MADE
  if (!not_made.includes(outcome)) for (const event of events) context.report?.(event)
  return outcome
}

/** As commit, for events that the caller reports with the refusal that the change is a reason of. @throws as commit */
export function withEntries<T>(
  { report }: Reporting,
  events: readonly SecurityEvent[],
  about: About,
  write: (told: AuditEntries | undefined) => Promise<T>,
): Promise<T> {
  return write(events.length === 0 ? undefined : report?.entriesOf?.(events, about))
}
