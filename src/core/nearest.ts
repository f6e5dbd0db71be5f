interface Known {
  readonly name: string
  readonly letters: string
}

const MAX_DISTANCE = 2
// How much of a name may be wrong.
const MAX_SHARE = 1 / 4

/** Returns the known name that is most similar to an unknown one, or undefined if none is similar. */
export function nearestName(unknown: string, names: readonly string[]): string | undefined {
  const wanted = lettersOf(unknown)
  const known = prepare(names)
  const nearest = closest(wanted, known)
  if (nearest !== undefined) return nearest.name
  if (wanted.length < 4) return undefined
  return known.find(({ letters }) => letters.includes(wanted) || wanted.includes(letters))?.name
}

/**
 * Returns a function that returns the known name of which an unknown one is a misspelling, or undefined. It is stricter
 * than nearestName, for names that mostly belong to others: HOME is not a misspelling of HOST.
 * @param share how much of a name may be wrong
 */
export function misspellingsOf(
  names: readonly string[],
  share = MAX_SHARE,
): (unknown: string) => string | undefined {
  const known = prepare(names)
  return (unknown) => {
    const nearest = closest(lettersOf(unknown), known)
    return nearest !== undefined && nearest.distance <= nearest.letters.length * share
      ? nearest.name
      : undefined
  }
}

function prepare(names: readonly string[]): Known[] {
  return names.map((name) => ({ name, letters: lettersOf(name) }))
}

function closest(
  wanted: string,
  known: readonly Known[],
): (Known & { readonly distance: number }) | undefined {
  return known
    .filter(({ letters }) => Math.abs(letters.length - wanted.length) <= MAX_DISTANCE)
    .map((name) => ({ ...name, distance: editDistance(wanted, name.letters) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance)[0]
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '')
}

// Levenshtein distance, row by row; infinite as soon as it is above MAX_DISTANCE. Loops by index: a start compares every
// variable of its environment, in code that is not compiled yet.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    if (Math.min(...next) > MAX_DISTANCE) return Number.POSITIVE_INFINITY
    row = next
  }
  return row.at(-1) ?? 0
}
