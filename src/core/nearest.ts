interface Known {
  readonly name: string
  readonly letters: string
}

const MAX_DISTANCE = 2
const FAR = Number.POSITIVE_INFINITY
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

// Levenshtein distance; infinite if it is above MAX_DISTANCE, so only cells near the diagonal are computed. Loops by
// index: a start compares every variable of its environment, in code that is not compiled yet.
function editDistance(a: string, b: string): number {
  const width = 2 * MAX_DISTANCE + 1
  let row = Array.from({ length: width }, (_, cell) => Math.max(0, cell - MAX_DISTANCE))
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = []
    for (let cell = 0; cell < width; cell++) {
      const j = i + cell - MAX_DISTANCE
      const replaced = (row[cell] ?? FAR) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const shorter = Math.min((row[cell + 1] ?? FAR) + 1, (next[cell - 1] ?? FAR) + 1)
      next.push(j < 0 || j > b.length ? FAR : j === 0 ? i : Math.min(replaced, shorter))
    }
    if (Math.min(...next) > MAX_DISTANCE) return FAR
    row = next
  }
  return row[b.length - a.length + MAX_DISTANCE] ?? FAR
}
