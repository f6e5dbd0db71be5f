import type { LastOutcomes } from '../core/last-outcomes.ts'
import { codeFrom, type Party, statusCode } from '../core/third-parties.ts'
import { describedItself } from './keys/client-keys.ts'
import type { Client } from './record/client-record.ts'

/** What it takes to note whether clients take what they are told. */
export interface NoticeOutcomeContext {
  readonly outcomes: Pick<LastOutcomes, 'failed' | 'recovered'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Notes what came of telling a client something. Who registers itself could name a thousand hosts that do not answer: that
 * is not noted.
 * @param outcome true: it was taken; else the status of the answer, or a short reason why there is none
 */
export function noteNotice(
  { outcomes, now }: NoticeOutcomeContext,
  notices: Party,
  client: Client,
  outcome: true | number | string,
): void {
  const party = { party: notices, name: client.client_id } as const
  if (outcome === true) {
    outcomes.recovered(party, now())
  } else if (!describedItself(client)) {
    const code = typeof outcome === 'number' ? statusCode(outcome) : codeFrom(outcome)
    outcomes.failed({ ...party, step: 'notice', code }, now())
  }
}
