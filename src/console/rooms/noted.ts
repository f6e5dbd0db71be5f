import type { Html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'

/** What servers noted of records, by their ids: a text for each column. */
export interface Noted {
  readonly columns: readonly string[]
  /** @throws AdminError; StorageUnavailable */
  read(desk: Desk): Promise<ReadonlyMap<string, readonly (Html | string)[]>>
}
