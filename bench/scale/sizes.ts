// How many records there are, who has which, and what a machine needs to hold them.
import { freemem } from 'node:os'
import { parseArgs } from 'node:util'

/** How many of each there are. */
export interface Sizes {
  readonly people: number
  readonly clients: number
  readonly grants: number
}

export const USAGE = `npm --prefix bench run scale -- [options]
  --people N, --clients N, --grants N   how many of each; default: 1,000,000, 100,000 and 10,000,000
  --redis-url URL                       an empty Redis on this machine; default: one that the script starts
  --out FILE                            where the results go; default: bench/results/scale.json
  --page                                writes them into docs/capacity.md, too`

/** The options of a run. */
export interface ScaleOptions {
  readonly sizes: Sizes
  readonly redis_url: string | undefined
  readonly out: string
  readonly page: boolean
}

/** @throws Error that says what is wrong with the arguments */
export function readOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      people: { type: 'string', default: '1000000' },
      clients: { type: 'string', default: '100000' },
      grants: { type: 'string', default: '10000000' },
      'redis-url': { type: 'string' },
      out: { type: 'string', default: 'bench/results/scale.json' },
      page: { type: 'boolean', default: false },
    },
  })
  const [people, clients, grants] = (['people', 'clients', 'grants'] as const).map((name) => {
    const number = Number(values[name])
    if (Number.isSafeInteger(number)) return number
    throw new Error(`--${name} must be a whole number, not "${values[name]}"`)
  }) as [number, number, number]
  if (people < 100 || people > 9_999_999) throw new Error('--people must be from 100 to 9999999')
  if (clients < 10 || clients > 999_999) throw new Error('--clients must be from 10 to 999999')
  if (grants < 2 * people) throw new Error('--grants must be twice --people, at least')
  const { out, page } = values
  return { sizes: { people, clients, grants }, redis_url: values['redis-url'], out, page }
}

/** Bytes of Redis for each record with all that is kept of it, somewhat more than measured. */
const BYTES = { person: 3200, client: 1700, grant: 950, session: 900 }
/** What Redis, the servers and the commands have besides. */
const BESIDES = 1.2e9

/** How much memory a run needs, in bytes. */
export function neededMemory({ people, clients, grants }: Sizes): number {
  return (
    BESIDES +
    people * (BYTES.person + BYTES.session / SESSION_OF_EACH) +
    clients * BYTES.client +
    grants * BYTES.grant
  )
}

/** Refuses a run for which the machine has not enough free memory. @throws Error */
export function assertFits(sizes: Sizes, free = freemem()): void {
  const needed = neededMemory(sizes)
  if (needed <= free) return
  throw new Error(
    `This needs ${gigabytes(needed)} GB of memory, and ${gigabytes(free)} GB are free: take fewer --grants and --people.`,
  )
}

export const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)

/** Of so many people, one has a session. */
export const SESSION_OF_EACH = 10
/** Who has very many grants, and who has very many sessions, by number. */
export const HOLDER = 1
export const SIGNED_IN = 2

/** Who has how much. */
export interface Shares {
  /** How many people have a grant of the client of this number as their first one: clients 0, 1 and 2. */
  readonly of_clients: readonly [number, number, number]
  /** How many grants the holder has. */
  readonly of_holder: number
  /** How many sessions the person has who is signed in often, with a grant each. */
  readonly sessions: number
  /** How many grants each of the others has. */
  readonly each: number
  /** How many grants there are in all. */
  readonly grants: number
}

/** Returns who has how much. */
export function sharesOf({ people, grants }: Sizes): Shares {
  const most = Math.min(140_000, Math.floor(people * 0.14))
  const many = Math.min(10_000, Math.floor(people / 100))
  const of_holder = Math.min(10_000, Math.floor(grants / 100))
  const sessions = Math.min(1000, Math.floor(people / 10))
  const each = Math.ceil((grants - of_holder - sessions) / (people - 2))
  return {
    of_clients: [most, many, 6],
    of_holder,
    sessions,
    each,
    grants: each * (people - 2) + of_holder + sessions,
  }
}

/** Returns how many grants a person has. */
export function grantsOfPerson(person: number, { of_holder, sessions, each }: Shares): number {
  if (person === HOLDER) return of_holder
  return person === SIGNED_IN ? sessions : each
}

/** Returns the number of the first grant of a person; the others follow. */
export function firstGrantOf(person: number, { of_holder, sessions, each }: Shares): number {
  const fewer = (person > HOLDER ? of_holder - each : 0) + (person > SIGNED_IN ? sessions - each : 0)
  return person * each + fewer
}

/** Returns the number of the client of a grant. @param place the place of the grant among those of the person */
export function clientOfGrant(
  person: number,
  place: number,
  { of_clients }: Shares,
  clients: number,
): number {
  if (place === 0) {
    let from = 0
    for (const [client, people] of of_clients.entries()) {
      if (person < from + people) return client
      from += people
    }
  }
  const others = clients - of_clients.length
  return of_clients.length + ((person * 31 + place * 977) % others)
}
