/** The page with a row for each release. */
export const UPGRADES = 'docs/upgrade.md'
const HEAD = /^\| from \| to \|.*\n\|(?:-+\|)+\n/m

type Lists = Readonly<Record<string, readonly string[]>>

/** Two releases that follow each other, and what users rely on of both. */
interface Neighbours {
  readonly from: string
  readonly to: string
  readonly former: Lists
  readonly present: Lists
}

/** Returns the page with the row of a release, above those of the releases before it. @throws Error if it has no table */
export function withUpgradeRow(page: string, neighbours: Neighbours): string {
  const head = HEAD.exec(page)?.[0]
  if (head === undefined) throw new Error(`${UPGRADES} has no table of releases.`)
  return page.replace(head, () => `${head}${rowOf(neighbours)}\n`)
}

/** Records are compared by the lists; the tests of neighbouring versions have run both, there and back. */
function rowOf({ from, to, former, present }: Neighbours): string {
  const [before = [], now = []] = [former.records, present.records]
  const added = now.filter((line) => !before.includes(line))
  const gone = before.filter((line) => !now.includes(line))
  const changed = [...added.map((line) => `\`${line}\` is new`), ...gone.map((line) => `\`${line}\` is gone`)]
  const cells = [
    ...[from, to, changed.length === 0 ? 'none' : changed.join(', ')],
    gone.length === 0 ? 'yes' : 'no: stop all servers first',
    gone.length > 0 ? 'no' : added.length === 0 ? 'yes' : 'yes, [without what is new](#the-way-back)',
    `[${to}](../CHANGELOG.md)`,
  ]
  return `| ${cells.join(' | ')} |`
}
