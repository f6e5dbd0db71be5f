import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { shellWord } from '../../src/core/shell-word.ts'
import { isUrl } from '../../src/core/uri.ts'
import { Refusal, UsageError } from '../errors.ts'
import { type InitVariable, newSecret, SECRETS, SETTINGS } from './rows.ts'

/** The values that are known, by variables. */
export type KnownValues = Partial<Record<InitVariable, string>>

/** The two files: settings, and what only their owner may read. */
export const SETTINGS_FILE = 'redmint.env'
export const SECRETS_FILE = 'redmint.secrets.env'

/** What the files hold. */
export interface Contents {
  readonly settings: string
  readonly secrets: string
  /** All variables of both, as a server reads them. */
  readonly variables: Readonly<Record<string, string>>
}

/** Returns what the files hold. @param known values for those that have none, or another one */
export function contentsOf(known: KnownValues): Contents {
  const variables: Record<string, string> = {}
  const secret_urls: string[] = []
  const lines = SETTINGS.flatMap(([heading, rows]) => [
    `# ${heading}`,
    ...rows.flatMap(({ name, value, example, says }) => {
      const given = known[name] ?? value
      if (given !== undefined) variables[name] = given
      if (given !== undefined && hasPassword(given)) {
        secret_urls.push(line(name, given))
        return [`# ${name} is in ${SECRETS_FILE}: it has a password. ${says}`]
      }
      return [`# ${says}`, given === undefined ? `#${name}=${example}` : line(name, given)]
    }),
    '',
  ])
  const made = Object.entries(SECRETS).flatMap(([name, says]) => {
    variables[name] = newSecret()
    return [`# ${says}`, line(name, variables[name])]
  })
  const settings = [
    `# Settings of redmint, the same for all replicas. docs/configuration.md has every variable.`,
    '',
    ...lines,
  ]
  const secrets = [
    `# Secrets of redmint, for their owner alone, the same for all replicas.`,
    '',
    ...made,
    ...secret_urls,
  ]
  return { settings: `${settings.join('\n').trimEnd()}\n`, secrets: `${secrets.join('\n')}\n`, variables }
}

/** Whether a value is a URL with a password in it. */
export const hasPassword = (value: string): boolean => isUrl(value) && new URL(value).password !== ''

/** Returns a line that shells, systemd and Node read alike. @throws UsageError if there is none */
function line(name: string, value: string): string {
  if (!value.includes("'")) return `${name}=${shellWord(value)}`
  if (/["$`\\]/.test(value))
    throw new UsageError(`${name} has characters that files of settings cannot quote: percent-encode them.`)
  return `${name}="${value}"`
}

/**
 * Writes both files, the secrets so that only their owner can read them. A file that is there is never touched.
 * @throws Refusal if one is there; UsageError if the folder cannot be written. Nothing is written then
 */
export async function writeFiles(folder: string, { settings, secrets }: Contents): Promise<void> {
  const made: [path: string, file: FileHandle][] = []
  try {
    for (const [name, mode] of [
      [SECRETS_FILE, 0o600],
      [SETTINGS_FILE, 0o644],
    ] as const) {
      const path = join(folder, name)
      made.push([path, await open(path, 'wx', mode)])
    }
    const [secret, open_file] = made
    await secret?.[1].writeFile(secrets)
    await open_file?.[1].writeFile(settings)
  } catch (error) {
    for (const [path] of made) await unlink(path)
    throw refusalOf(folder, error)
  } finally {
    for (const [, file] of made) await file.close()
  }
}

function refusalOf(folder: string, error: unknown): unknown {
  const { code, path = folder } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  if (code !== 'EEXIST') return new UsageError(`Nothing was written: ${path} cannot be written (${code}).`)
  return new Refusal(
    `Nothing was written: ${path} is there already. Change it by hand, or give another --folder.`,
  )
}
