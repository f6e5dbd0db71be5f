// The versions that a site has. Each is in a folder of its own, and `versions.js` beside them lists all.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOlder } from '../../scripts/make-release.ts'

/** A version of the documentation. */
export interface Version {
  readonly version: string
  /** The day of the release, as in CHANGELOG.md; without one the version is not released. */
  readonly date?: string
  /** The paths of its pages, so that a reader stays on the page when changing the version. */
  readonly pages: readonly string[]
}

/** The list, as a script: pages that are opened as files may not read others. */
export const LIST = 'versions.js'
const BEGIN = 'self.redmintVersions = '

/** Returns the version of a folder of the repository, without its pages. */
export function versionOf(folder: string): Omit<Version, 'pages'> {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} - `))
  const date = heading?.slice(`## ${version} - `.length)
  return { version, ...(date !== undefined && { date }) }
}

/** Returns the versions that a site has already with one more, the newest first. */
export function addVersion(site: string, added: Version): Version[] {
  const path = join(site, LIST)
  const before = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8').slice(BEGIN.length)) as Version[])
    : []
  const others = before.filter(({ version }) => version !== added.version)
  return [...others, added].sort((a, b) => (isOlder(a.version, b.version) ? 1 : -1))
}

/** The version that a reader gets who names none: the newest release that is no pre-release, else the newest. */
export function currentOf(versions: readonly Version[]): Version | undefined {
  return versions.find(({ version, date }) => date !== undefined && !version.includes('-')) ?? versions[0]
}

/** Returns the text of the list. */
export function listText(versions: readonly Version[]): string {
  return `${BEGIN}${JSON.stringify(versions, null, 1)}\n`
}

/** The folder of a version. */
export const folderOf = ({ version }: { version: string }): string => `v${version}`
