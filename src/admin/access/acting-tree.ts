import type { ShownActingToken } from './acting.ts'

/** A token, and those that were exchanged for it. */
export interface ActingNode {
  readonly token: ShownActingToken
  readonly next: readonly ActingNode[]
}

/** Returns the exchanged tokens of a sign-in as a tree: at the top are those for which one of the sign-in was exchanged. */
export function actingTree(tokens: readonly ShownActingToken[]): ActingNode[] {
  const places = new Set(tokens.map(({ place }) => place))
  const under = (from: number | undefined): ActingNode[] =>
    tokens
      // What it was exchanged for may not be shown.
      .filter(
        (token) => (token.from !== undefined && places.has(token.from) ? token.from : undefined) === from,
      )
      .map((token) => ({ token, next: under(token.place) }))
  return under(undefined)
}
