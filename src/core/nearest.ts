/** Returns the known name that is most similar to an unknown one, or undefined if none is similar. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const wanted = normalize(unknown)
  const nearest = closest(wanted, known)
  if (nearest !== undefined) return nearest.name
  if (wanted.length < 4) return undefined
  return known.find((name) => normalize(name).includes(wanted) || wanted.includes(normalize(name)))
}

/**
 * Returns the known name of which an unknown one is a misspelling, or undefined. It is stricter than nearestName, for
 * names that mostly belong to others: HOME is not a misspelling of HOST.
 */
export function misspelledName(unknown: string, known: readonly string[]): string | undefined {
  const nearest = closest(normalize(unknown), known)
  if (nearest === undefined) return undefined
  return nearest.distance <= normalize(nearest.name).length / 4 ? nearest.name : undefined
}

const MAX_DISTANCE = 2

function closest(
  wanted: string,
  known: readonly string[],
): { readonly name: string; readonly distance: number } | undefined {
  return known
    .map((name) => ({ name, letters: normalize(name) }))
    .filter(({ letters }) => Math.abs(letters.length - wanted.length) <= MAX_DISTANCE)
    .map(({ name, letters }) => ({ name, distance: editDistance(wanted, letters) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance)[0]
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '')
}

// Levenshtein distance, row by row.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
