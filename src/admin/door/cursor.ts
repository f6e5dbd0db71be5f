import { parseJson } from '../../core/json.ts'
import type { Sealer } from '../../keys/sealer.ts'
import { AdminError } from '../operation/problem.ts'

/** A list and its filter: what a cursor is bound to. */
export interface FilteredList {
  /** The name of the operation. */
  readonly operation: string
  readonly params: Readonly<Record<string, unknown>>
  /** The parameters that choose what is in the list. */
  readonly filter: Readonly<Record<string, unknown>>
}

/** Returns a cursor for the place in a list: opaque, and only for this list with this filter. @throws StorageUnavailable */
export function cursorFor(sealer: Pick<Sealer, 'seal'>, list: FilteredList, place: string): string {
  return sealer.seal('admin-cursor', JSON.stringify([nameOf(list), place]))
}

/** Returns the place that a cursor stands for. @throws AdminError `invalid_cursor`; StorageUnavailable */
export function placeOf(sealer: Pick<Sealer, 'open'>, list: FilteredList, cursor: string): string {
  const opened = sealer.open('admin-cursor', cursor)
  const [name, place] = (opened === undefined ? [] : parseJson(opened)) as unknown[]
  if (name === nameOf(list) && typeof place === 'string') return place
  throw new AdminError(
    'invalid_cursor',
    'The cursor is not of this list with this filter: use next of the page before, with the same parameters.',
  )
}

function nameOf({ operation, params, filter }: FilteredList): string {
  return JSON.stringify([operation, sorted(params), sorted(filter)])
}

const sorted = (given: Readonly<Record<string, unknown>>) =>
  Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1))
