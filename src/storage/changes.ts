import type { KindName } from './records.ts'

/** Is told of changed records, whoever wrote them. */
export interface Watcher {
  /** The record with this id may have changed. */
  changed(id: string): void
  /** Any record may have changed: after a flush, or when reports may have been missed. */
  allChanged(): void
}

/** Reports of changed records, hand-written changes included. */
export interface Changes {
  /** Reports changes of records of a kind from now on. */
  watch(kind: KindName, watcher: Watcher): void
  /** Whether every change of a kind is being reported within a second; if not, nothing may be cached. */
  isLive(kind: KindName): boolean
}
