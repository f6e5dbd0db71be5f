import type { KindName } from './records.ts'

/** Receives the ids of changed records. */
export interface Watcher {
  /** The record with this id may have changed. */
  changed(id: string): void
  /** Any record may have changed: after a flush, or if reports may have been lost. */
  allChanged(): void
}

/** Reports changed records, including changes that were made with redis-cli. */
export interface Changes {
  /** Reports changes of records of this kind from now on; `allChanged` may be called before it returns. */
  watch(kind: KindName, watcher: Watcher): void
  /** Whether every change of this kind is reported within a second. If not, its records must not be cached. */
  isLive(kind: KindName): boolean
}
