/** How often each of some things happened since the process started; the names are a closed set. */
export type Tally<Name extends string> = Record<Name, number>

/** Returns a tally in which nothing has happened. */
export function tallyOf<Name extends string>(names: readonly Name[]): Tally<Name> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Tally<Name>
}
