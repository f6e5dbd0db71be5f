import { NODE_FLOORS } from '../src/core/node-floor.ts'

/** How long something known may stay open. */
const PATIENCE_MS = 3 * 86_400_000

const SEVERE = ['high', 'critical']

/** An advisory about packages that are installed. */
export interface Advisory {
  /** That of GitHub, `GHSA-…`. */
  readonly id: string
  readonly severity: string
  readonly title: string
  readonly packages: readonly string[]
}

/** Something known that is still open. */
export interface Open {
  readonly line: string
  readonly known_since: Date
}

interface Audit {
  readonly vulnerabilities?: Readonly<
    Record<
      string,
      {
        readonly via: readonly (
          | string
          | { readonly name: string; readonly title: string; readonly url: string; readonly severity: string }
        )[]
      }
    >
  >
}

/**
 * Reads what `npm audit --json` printed: the advisories of high and critical severity, each once.
 * @throws Error if it holds no audit, as when the registry did not answer
 */
export function readAudit(printed: string): Advisory[] {
  const { vulnerabilities } = JSON.parse(printed) as Audit
  if (vulnerabilities === undefined) throw new Error(`npm audit did not say what is known: ${printed}`)
  const found = new Map<string, Advisory>()
  // A name in "via" is a package that has the advisory, too.
  for (const via of Object.values(vulnerabilities).flatMap((one) => one.via)) {
    if (typeof via === 'string' || !SEVERE.includes(via.severity)) continue
    const id = via.url.split('/').at(-1) ?? via.url
    const packages = new Set([...(found.get(id)?.packages ?? []), via.name])
    found.set(id, { id, severity: via.severity, title: via.title, packages: [...packages] })
  }
  return [...found.values()]
}

/** Returns an advisory as something open. */
export function openAdvisory({ id, severity, title, packages }: Advisory, published_at: string): Open {
  const known_since = new Date(published_at)
  return { line: `${id}, ${published_at}, ${severity}: ${title} (${packages.join(', ')})`, known_since }
}

/** A release of Node, as https://nodejs.org/dist/index.json has it. */
export interface NodeRelease {
  /** `v24.22.1`. */
  readonly version: string
  /** `2026-10-21`. */
  readonly date: string
  /** Whether it fixes something of security. */
  readonly security: boolean
}

/** Returns the lines of Node of which a release with fixes of security is above the floor that redmint names. */
export function openFloors(releases: readonly NodeRelease[], floors = NODE_FLOORS): Open[] {
  return releases.flatMap(({ version, date, security }) => {
    const [major = 0, minor = 0, patch = 0] = version.slice(1).split('.').map(Number)
    const floor = floors[major]
    if (!security || floor === undefined) return []
    if (minor < floor[0] || (minor === floor[0] && patch <= floor[1])) return []
    const line = `Node ${version}, ${date}: has fixes, and src/core/node-floor.ts and the image name an older one`
    return [{ line, known_since: new Date(date) }]
  })
}

/** Returns what is open for longer than three days, and what has no date that can be read. */
export function overdue(open: readonly Open[], now: Date): Open[] {
  return open.filter(({ known_since }) => !(now.getTime() - known_since.getTime() <= PATIENCE_MS))
}
