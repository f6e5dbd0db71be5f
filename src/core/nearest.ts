/** Returns the known name that is most similar to an unknown one, or undefined if none is similar. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const wanted = normalize(unknown)
  const byDistance = known
    .map((name) => ({ name, distance: editDistance(wanted, normalize(name)) }))
    .sort((a, b) => a.distance - b.distance)[0]
  if (byDistance !== undefined && byDistance.distance <= 2) return byDistance.name
  if (wanted.length < 4) return undefined
  return known.find((name) => normalize(name).includes(wanted) || wanted.includes(normalize(name)))
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
