import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// https://semver.org: three numbers and an optional pre-release. Build metadata is not supported.
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?$/i
const UNRELEASED = /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms

interface VersionedJson {
  version?: string
  packages?: { '': { version: string } }
  info?: { version: string }
}

const setInfo = ({ info }: VersionedJson, version: string) => {
  if (info) info.version = version
}

/** Sets the version in each file that has one. */
const VERSIONED: Record<string, (json: VersionedJson, version: string) => void> = {
  'package.json': (json, version) => {
    json.version = version
  },
  'package-lock.json': (json, version) => {
    json.version = version
    if (json.packages) json.packages[''].version = version
  },
  'docs/openapi.json': setInfo,
  'docs/admin-openapi.json': setInfo,
}

/** What deploys the image of the version, as the workflow names it. */
const DEPLOYED = [
  'deploy/compose.yaml',
  'deploy/helm/redmint/Chart.yaml',
  'deploy/kubernetes/kustomization.yaml',
  'deploy/kubernetes-apply/kustomization.yaml',
]
/** What users rely on, of the last release. */
export const INTERFACE = 'docs/interface.json'
const DEPLOYED_VERSION = /^( *(?:(?:version|appVersion|newTag): |image: ghcr\.io\/redmint\/redmint:)).*$/gm

/**
 * Makes a release: moves the Unreleased section of CHANGELOG.md to the version, sets the version in all files, writes what
 * users rely on, commits, and creates an annotated tag.
 * @param folder the root of the repository
 * @returns the name of the tag
 * @throws Error with the reason if the release is not possible; then nothing is changed
 */
export function makeRelease(
  folder: string,
  version: string,
  date: Date,
  users_rely_on: Readonly<Record<string, readonly string[]>>,
): string {
  const tag = `v${version}`
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  const changes = UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''
  const current = String(readJson(folder, 'package.json').version)

  if (!VERSION.test(version)) throw new Error(`${version} is not a version such as 1.2.3 or 1.2.3-rc.1.`)
  const dirty = git(folder, 'status', '--porcelain')
  if (dirty !== '') throw new Error(`The working tree is not clean:\n${dirty}`)
  if (git(folder, 'tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists.`)
  if (isOlder(version, current))
    throw new Error(`${version} is older than ${current}, the version of package.json.`)
  if (changes === '') throw new Error('CHANGELOG.md has nothing under "## Unreleased".')

  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`
  const released = changelog.replace(UNRELEASED, () => `## Unreleased\n\n${heading}\n\n${changes}\n\n`)
  writeFileSync(join(folder, 'CHANGELOG.md'), `${released.trimEnd()}\n`)
  for (const [file, setVersion] of Object.entries(VERSIONED)) {
    const json = readJson(folder, file)
    setVersion(json, version)
    writeFileSync(join(folder, file), `${JSON.stringify(json, null, 2)}\n`)
  }
  for (const file of DEPLOYED) {
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(
      join(folder, file),
      text.replaceAll(DEPLOYED_VERSION, (_, name) => `${name}${version}`),
    )
  }
  writeFileSync(join(folder, INTERFACE), `${JSON.stringify(users_rely_on, null, 1)}\n`)
  const changed = ['CHANGELOG.md', ...Object.keys(VERSIONED), ...DEPLOYED, INTERFACE]
  // The list is new with the first release.
  git(folder, 'add', '--', ...changed)
  git(folder, 'commit', '--quiet', '--message', `Release ${version}`, '--', ...changed)
  // With --cleanup=whitespace, lines that begin with "#" stay in the message.
  git(
    folder,
    'tag',
    '--annotate',
    '--cleanup=whitespace',
    '--message',
    `redmint ${version}\n\n${changes}`,
    tag,
  )
  return tag
}

function readJson(folder: string, file: string): VersionedJson {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

/** Runs git and returns its output. @throws Error with the error output of git */
function git(folder: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${error?.message ?? stderr.trim()}`)
  return stdout.trimEnd()
}

/** Whether one version precedes another (https://semver.org, 11). */
export function isOlder(version: string, other: string): boolean {
  const [a, b] = [parts(version), parts(other)]
  const differs = a.numbers.findIndex((number, i) => number !== b.numbers[i])
  if (differs !== -1) return (a.numbers[differs] ?? 0) < (b.numbers[differs] ?? 0)
  if (a.prerelease === undefined || b.prerelease === undefined) {
    return a.prerelease !== undefined && b.prerelease === undefined
  }
  return a.prerelease.localeCompare(b.prerelease, 'en', { numeric: true }) < 0
}

function parts(version: string) {
  const [, major, minor, patch, prerelease] = VERSION.exec(version) ?? []
  return { numbers: [major, minor, patch].map(Number), prerelease }
}
