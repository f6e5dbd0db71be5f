import { compareIds } from '../compare-ids.ts'
import { entriesOf, hasWords, isFound, MAX_LOOKED_AT, SMALL_KIND } from '../words.ts'

/** A record with the text that it is found by. */
export interface FindableRecord {
  readonly id: string
  readonly text: string
}

interface Looking {
  readonly readings: readonly (readonly string[])[]
  readonly after?: string | undefined
  readonly limit: number
}

/** Where a part ended, and the ids that it has. */
interface Part {
  readonly ids: readonly string[]
  readonly next?: string
}

/** An entry, the record that it finds, and the place of its walk: those of a rank and a reading are one walk. */
interface Entry {
  readonly place: string
  readonly id: string
  readonly entry: string
}

/** Finds records by their words, as the script find-words: the same ones in the same order. */
export function findWorded(
  records: readonly FindableRecord[],
  { readings, after, limit }: Looking,
): Part & { readonly of: number } {
  const worded = records.filter(({ text }) => text !== '')
  const is_small = worded.length <= SMALL_KIND
  const all = worded.flatMap((record) =>
    entriesOf(record.text, record.id).map((entry) => ({ entry, ...record })),
  )
  const drivers = readings.map((words) => rarest(words, all))
  const beginsWith = (entry: string, word: string) => entry.slice(1).startsWith(` ${word}`)
  const found = readings.flatMap((words, i) => {
    const driver = drivers[i] ?? ''
    return all
      .filter(({ entry }) => beginsWith(entry, driver))
      .map(({ entry, id, text }) => {
        const before = entry.slice(0, entry.indexOf('\0')).split('\x01')[1] ?? ''
        const is_again = before.includes(` ${driver}`)
        const was_found = readings.slice(0, i).some((others) => hasWords(text, others))
        return { place: `${entry[0]}${i}`, entry, id, is: hasWords(text, words) && !is_again && !was_found }
      })
  })
  const parts = worded.map(({ id, text }) => ({
    ...{ place: '3', entry: `0${id}`, id },
    is: is_small && isFound(text, readings, true) && !isFound(text, readings, false),
  }))
  const entries = [...found, ...parts].sort((one, other) => compare(one, other))
  return { ...cut(entries, after, limit), of: worded.length }
}

function cut(
  entries: readonly (Entry & { readonly is: boolean })[],
  after: string | undefined,
  limit: number,
): Part {
  const ids: string[] = []
  let looks = 0
  for (const one of entries) {
    const key = `${one.place}${one.entry}`
    if (after && compareIds(key, after) <= 0) continue
    looks += one.place === '3' ? 0 : 1
    if (one.is) ids.push(one.id)
    if (ids.length === limit || looks === MAX_LOOKED_AT) return { ids, next: key }
  }
  return { ids }
}

const compare = (one: Entry, other: Entry) =>
  compareIds(one.place, other.place) || compareIds(one.entry, other.entry)

/** The word that begins the fewest entries. */
function rarest(words: readonly string[], entries: readonly { readonly entry: string }[]): string {
  const counts = words.map(
    (word) => entries.filter(({ entry }) => entry.slice(1).startsWith(` ${word}`)).length,
  )
  return words[counts.indexOf(Math.min(...counts))] ?? ''
}
