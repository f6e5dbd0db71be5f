import type { Party, PartyFault } from './third-parties.ts'

/** What last came of asking a third party. */
export interface LastOutcome {
  /** When it last did its part, in milliseconds since 1970; absent: that is not known. */
  readonly success_at?: number
  readonly error?: LastError
}

/** What last went wrong. */
export interface LastError {
  /** Milliseconds since 1970. */
  readonly at: number
  /** As in `PartyFault`. */
  readonly step: string
  readonly code: string
}

/** A third party, by the name of its record if there are several. */
export type PartyName = Pick<PartyFault, 'party' | 'name'>

/** How many are remembered: those whose last outcome is the oldest make room. */
const MAX_KEPT = 1000

/** The last outcomes at each third party in this process. */
export class LastOutcomes {
  readonly #last = new Map<string, LastOutcome>()
  readonly #changed = new Set<string>()

  /** Notes that a party did its part. */
  succeeded(party: PartyName, at: number): void {
    this.#note(idOf(party), { success_at: at })
  }

  /** Notes that a party did its part, if something went wrong before: as long as all is well, nothing is written. */
  recovered(party: PartyName, at: number): void {
    const { success_at = 0, error } = this.#last.get(idOf(party)) ?? {}
    if (error !== undefined && success_at < error.at) this.succeeded(party, at)
  }

  failed({ step, code, ...party }: PartyFault, at: number): void {
    this.#note(idOf(party), { error: { at, step, code } })
  }

  /** Returns what changed since this was asked last, by the ids of parties. */
  takeChanged(): Map<string, LastOutcome> {
    const taken = new Map([...this.#changed].map((id) => [id, this.#last.get(id) ?? {}]))
    this.#changed.clear()
    return taken
  }

  /** Gives back what could not be written. */
  giveBack(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id)
  }

  #note(id: string, outcome: LastOutcome): void {
    const known = this.#last.get(id)
    this.#last.delete(id)
    this.#last.set(id, { ...known, ...outcome })
    this.#changed.add(id)
    const [oldest] = this.#last.keys()
    if (this.#last.size > MAX_KEPT && oldest !== undefined) this.#last.delete(oldest)
  }
}

/** Returns the id of a party in entries: no party has a colon. */
const idOf = ({ party, name }: PartyName): string => (name === undefined ? party : `${party}:${name}`)

/** Returns the party of an id. @param parties those that there are */
export function partyIn(id: string, parties: readonly Party[]): PartyName | undefined {
  const colon = id.indexOf(':')
  const party = parties.find((one) => one === (colon === -1 ? id : id.slice(0, colon)))
  return party && { party, ...(colon !== -1 && { name: id.slice(colon + 1) }) }
}
