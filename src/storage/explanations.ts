/** An explanation to be kept. */
export interface KeptExplanation {
  /** Without spaces. */
  readonly id: string
  /** What is alike: of one kind few are kept, so that it cannot push out the others. */
  readonly kind: string
  /** Who makes those of this kind, without spaces: if there is no room, whoever has most makes it. */
  readonly owner: string
  readonly text: string
}

/** How many explanations are kept. */
export interface ExplanationLimits {
  readonly max: number
  /** Of one kind. */
  readonly per_kind: number
  /** Milliseconds. */
  readonly ttl: number
}

/**
 * The last explanations of refusals, which all replicas share. Their number is bounded: one more replaces the oldest of its
 * kind if its kind has all that it may have; else, if there is no room, one of the owner who has most, which is its own
 * if nobody has more: of the oldest of that owner (twice as many as a kind may have) the first one of the kind of which
 * there are most, because anybody can name a client. A kind has the owner of its first one, as long as there is one. Each
 * call throws StorageUnavailable.
 */
export interface Explanations {
  /**
   * Keeps explanations, in one atomic step; one whose id there is already changes nothing.
   * @param more how many more of a kind there were that are not kept; they are counted beside those that are
   */
  keep(
    explanations: readonly KeptExplanation[],
    more: ReadonlyMap<string, number>,
    limits: ExplanationLimits,
  ): Promise<void>
  /** Returns the text of an explanation; undefined: it is not kept, or its time is over. */
  find(id: string): Promise<string | undefined>
  /** Returns the texts of the last explanations, the newest first. */
  list(max: number): Promise<string[]>
  /** Returns how many more of a kind there were than those that are or were kept. */
  countMore(kind: string): Promise<number>
}
