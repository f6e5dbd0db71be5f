import { count } from '../../../src/core/count.ts'
import type { Converted, LeftBehind } from './converted.ts'
import type { Fate, Notes } from './notes.ts'

/** So many records are told one by one; the fields of all are counted. */
const LISTED = 1000

interface ToldRecord {
  readonly place: string
  readonly kind: string
  readonly id: string
  readonly fields: Notes['list']
}

/** What became of the fields of a file of another system. */
export class Told {
  readonly #records: ToldRecord[] = []
  readonly #left: LeftBehind[] = []
  readonly #counts = new Map<string, number>()
  #total = 0

  add({ place, kind, id, notes }: Converted): void {
    this.#total += 1
    if (this.#records.length < LISTED) this.#records.push({ place, kind, id, fields: notes.list })
    for (const { fate, field } of notes.list) {
      const key = `${fate} ${kind} ${field}`
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
  }

  /** What is lost of the file as a whole. */
  addFile({ list }: Notes): void {
    if (list.length > 0) this.#records.push({ place: 'the file', kind: '', id: '', fields: list })
  }

  addLeftBehind(record: LeftBehind): void {
    this.#left.push(record)
  }

  /** Returns the report, line by line. */
  get lines(): string[] {
    const more = this.#total - this.#records.length
    return [
      ...this.#records.flatMap(recordLines),
      ...(more > 0 ? [`… and ${more} more records`] : []),
      ...this.#left
        .slice(0, LISTED)
        .map(({ place, name, left_behind }) => `${place} "${name}" is left out: ${left_behind}`),
      '',
      ...this.#countLines(),
    ]
  }

  get json(): object {
    const counts = [...this.#counts].map(([key, records]) => {
      const [fate, kind, field] = key.split(' ')
      return { fate, kind, field, records }
    })
    return { records: this.#records, left_out: this.#left.slice(0, LISTED), fields: counts }
  }

  #countLines(): string[] {
    const of = (fate: Fate) =>
      [...this.#counts]
        .filter(([key]) => key.startsWith(`${fate} `))
        .reduce((sum, [, number]) => sum + number, 0)
    return [
      `${count(this.#total, 'record')}: ${of('kept')} fields kept, ${of('changed')} changed, ${of('lost')} lost; ${count(this.#left.length, 'record')} left out.`,
    ]
  }
}

function recordLines({ place, kind, id, fields }: ToldRecord): string[] {
  const kept = fields.filter(({ fate }) => fate === 'kept').map(({ field }) => field)
  return [
    kind === '' ? place : `${place}: ${kind} "${id}"`,
    ...(kept.length > 0 ? [`  kept     ${[...new Set(kept)].join(', ')}`] : []),
    ...fields
      .filter(({ fate }) => fate !== 'kept')
      .map(({ fate, field, detail }) => `  ${fate.padEnd(7)}  ${field}: ${detail}`),
  ]
}
