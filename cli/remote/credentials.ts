import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject, parseObject } from '../../src/core/json.ts'

/** What a sign-in at a server left: it gives the access that the person has. */
export interface Credentials {
  readonly client_id: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  /** What the tokens are for (RFC 8707). */
  readonly resource: string
  readonly access_token: string
  readonly refresh_token?: string
  /** When the access token expires, in milliseconds since 1970. */
  readonly expires_at: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the file that holds the credentials of this user of the shell. */
export function credentialsFile({ XDG_CONFIG_HOME, HOME }: Environment): string {
  const folder = XDG_CONFIG_HOME || join(HOME || homedir(), '.config')
  return join(folder, 'redmint', 'credentials.json')
}

/** Returns the credentials for a server; undefined if there are none. */
export async function readCredentials(file: string, server: string): Promise<Credentials | undefined> {
  const kept = (await readAll(file))[server]
  return isCredentials(kept) ? kept : undefined
}

/** Keeps the credentials for a server, or forgets them. Nobody but the user of the shell can read the file. */
export async function keepCredentials(
  file: string,
  server: string,
  credentials: Credentials | undefined,
): Promise<void> {
  const { [server]: _, ...others } = await readAll(file)
  const all = credentials === undefined ? others : { ...others, [server]: credentials }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Another command never reads half of a file, and its mode is right from the start.
  const written = `${file}.${process.pid}`
  await rm(written, { force: true })
  await writeFile(written, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(written, file)
}

async function readAll(file: string): Promise<Record<string, unknown>> {
  try {
    return { ...parseObject(await readFile(file, 'utf8')) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function isCredentials(value: unknown): value is Credentials {
  if (!isObject(value)) return false
  const { client_id, token_endpoint, revocation_endpoint, resource, expires_at } = value
  const { access_token, refresh_token = '' } = value
  const texts = [client_id, token_endpoint, revocation_endpoint, resource, access_token, refresh_token]
  return texts.every((text) => typeof text === 'string') && typeof expires_at === 'number'
}
