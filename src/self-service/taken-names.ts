import { hash } from 'node:crypto'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Link } from '../core/link.ts'
import { counterOf } from '../limits/networks.ts'
import type { Storage } from '../storage/storage.ts'
import type { Ticket } from './ticket.ts'

/** How many taken names one link tells of before it ends, and an address of the network within an hour. */
export const MAX_TAKEN_NAMES = 20

/** How long an address is told of no more taken names, in seconds. */
const TAKEN_NAMES_WINDOW = 3600

/** What it takes to tell of a taken name. */
interface TakenNameContext {
  readonly storage: Pick<Storage, 'counters'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Counts, before it is told, that a name is taken: nobody finds out which names exist by a link. The last one that a link
 * may tell of ends it.
 * @param address where the answer came from: an IPv4 address, or the network of an IPv6 address
 * @returns `throttled`: this address is told no more for now; `over`: the link has ended
 * @throws StorageUnavailable
 */
export async function countTakenName(
  context: TakenNameContext,
  { link, ticket, address }: { readonly link: Link; readonly ticket: Ticket; readonly address: string },
): Promise<'taken' | 'throttled' | 'over'> {
  const { counters } = context.storage
  const [of_link, of_address] = await Promise.all([
    counters.countFailure(
      'taken-name',
      nameOf('link', link.digest),
      Math.max(1, ticket.ends_at - context.now()),
    ),
    counters.countFailure('taken-name', nameOf('address', counterOf(address)), TAKEN_NAMES_WINDOW * 1000),
  ])
  if (of_link.count >= MAX_TAKEN_NAMES) {
    const event: SecurityEvent = {
      event: 'names_guessed',
      ...(ticket.invitation && { invitation: ticket.invitation }),
    }
    await commit(context, [event], {}, (told) => ticket.end(told))
    return 'over'
  }
  return of_address.count > MAX_TAKEN_NAMES ? 'throttled' : 'taken'
}

const nameOf = (of: string, owner: string): string => hash('sha256', JSON.stringify([of, owner]), 'hex')
