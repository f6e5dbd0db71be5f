/** What becomes of a field of another system. */
export type Fate = 'kept' | 'changed' | 'lost'

/** What became of one field of one record, and how or why. */
export interface Note {
  readonly fate: Fate
  readonly field: string
  readonly detail: string
}

/** Collects what becomes of the fields of one record. */
export class Notes {
  readonly list: Note[] = []

  /** The field means the same here. */
  kept(field: string): void {
    this.list.push({ fate: 'kept', field, detail: '' })
  }

  /** The field has another value or meaning here. */
  changed(field: string, detail: string): void {
    this.list.push({ fate: 'changed', field, detail })
  }

  /** Nothing here stands for the field. */
  lost(field: string, detail: string): void {
    this.list.push({ fate: 'lost', field, detail })
  }
}
