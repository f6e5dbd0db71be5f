import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the files, in that of the repository. */
export const FILES = 'release'

/**
 * Makes what is published with a release, in `release/`: the package, its parts as CycloneDX, their licences, and the
 * SHA-256 of each. The same commit and the same packages give the same bytes.
 * @param folder the root of the repository, with its packages installed
 * @returns the names of the files
 * @throws Error if the build fails, or a part has no text of its licence
 */
export function makeReleaseFiles(folder: string): string[] {
  const out = join(folder, FILES)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  const { version } = readJson(join(folder, 'package.json')) as { version: string }
  const npm = (...args: string[]) =>
    execFileSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
    })
  const committed_at = new Date(
    1000 * Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: folder, encoding: 'utf8' })),
  )

  npm('pack', '--silent', '--pack-destination', FILES)
  const parts = JSON.parse(
    npm(
      'sbom',
      '--omit',
      'dev',
      '--package-lock-only',
      '--sbom-format',
      'cyclonedx',
      '--sbom-type',
      'application',
    ),
  )
  const write = (name: string, text: string) => writeFileSync(join(out, name), text)
  write(`redmint-${version}.cdx.json`, `${JSON.stringify(reproducible(parts, committed_at), null, 2)}\n`)
  write(`redmint-${version}.licenses.txt`, licencesOf(folder))
  const names = readdirSync(out).sort()
  write('SHA256SUMS', names.map((name) => `${digest(readFileSync(join(out, name)))}  ${name}\n`).join(''))
  return [...names, 'SHA256SUMS']
}

interface Parts {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string } }
  components: unknown[]
}

/** Without what npm makes anew each time: a number, the time, and the name of the folder. */
function reproducible(parts: Parts, made_at: Date): Parts {
  parts.metadata.timestamp = made_at.toISOString()
  parts.metadata.component.name = 'redmint'
  const hex = digest(JSON.stringify(parts.components))
  // A UUID whose bits its maker chose (RFC 9562 §5.8).
  parts.serialNumber = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  return parts
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { version: string; license?: string; dev?: boolean; optional?: boolean; peer?: boolean }>
  >
}

/** The licences of what a production install gets, and their texts. */
function licencesOf(folder: string): string {
  const { packages } = readJson(join(folder, 'package-lock.json')) as Lock
  const installed = Object.entries(packages).filter(([path, { dev, peer }]) => path !== '' && !dev && !peer)
  const texts = installed.flatMap(([path, { version, license = 'unknown', optional }]) => {
    const place = join(folder, path)
    // What is built for another machine is not installed.
    if (optional && !existsSync(place)) return []
    const file = readdirSync(place).find((name) => /^(licen[cs]e|copying)/i.test(name))
    const name = path.replace(/^.*node_modules\//, '')
    const text = file === undefined ? '' : readFileSync(join(place, file), 'utf8').trim()
    return [`${name} ${version} (${license})\n${text === '' ? '' : `\n${text}\n`}`]
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
