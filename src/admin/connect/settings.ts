import type { ClientDefinition } from '../../clients/record/client-record.ts'
import { randomText } from '../../core/token-string.ts'
import { isLoopbackHost, isUrl } from '../../core/uri.ts'
import { AdminError } from '../operation/problem.ts'
import type { Preset, SettingsFile } from './preset.ts'
import { lackError } from './preset-fields.ts'
import { PRESETS, type PresetName } from './presets.ts'
import { filled, fillTemplate } from './template.ts'

/** Stands for a secret that was read from stdin, which is not printed. */
const UNKNOWN_SECRET = '<client_secret>'

const SESSION_SECRET_BYTES = 32

/** Where an application listens whose address says no port: it is behind a proxy. 3000 is a port of redmint. */
const PORT_BEHIND_PROXY = '3001'

// In a file of settings, these characters could end a string or begin a variable.
const UNSAFE = /["'\\$`\s]/

/** The client and issuer that settings are printed for. */
export interface Connected {
  readonly issuer: string
  readonly client: Pick<ClientDefinition, 'client_id' | 'is_public' | 'redirect_uris' | 'allowed_scopes'>
  /** Absent if it was read from stdin. */
  readonly client_secret: string | undefined
  readonly origin: string | undefined
  /** What the application protects its own sessions with; absent: a new one is made. */
  readonly session_secret?: string
}

/**
 * Returns the settings of a client to paste.
 * @throws AdminError `conflict` if a value would need quoting in them; `invalid_field` without the address of an API
 */
export function settingsOf(
  name: PresetName,
  {
    issuer,
    client,
    client_secret,
    origin: given_origin,
    session_secret = randomText(SESSION_SECRET_BYTES),
  }: Connected,
): readonly SettingsFile[] {
  const { client_id, is_public, redirect_uris = [], allowed_scopes = [] } = client
  const [redirect_uri = ''] = redirect_uris
  for (const value of [client_id, redirect_uri, ...allowed_scopes]) {
    if (!UNSAFE.test(value)) continue
    throw new AdminError(
      'conflict',
      `"${value}" cannot be pasted into settings: it must have no quotes, spaces, "\\", "$" or "\`".`,
    )
  }
  const { begin, is_api, files }: Preset = PRESETS[name]
  // The record of the client of an API does not say it.
  if (is_api && given_origin === undefined) throw lackError('address_of_api')
  const origin = given_origin ?? originOf(redirect_uri)
  if (given_origin !== undefined && isSamePlace(given_origin, issuer)) {
    throw new AdminError(
      'conflict',
      `${given_origin} is the address of redmint itself: give that of the application, such as http://localhost:3001.`,
    )
  }
  const values = {
    issuer,
    client_id,
    client_secret: is_public ? '' : (client_secret ?? UNKNOWN_SECRET),
    redirect_uri,
    origin,
    scope: allowed_scopes.join(' '),
    session_secret,
    port: portOf(origin),
  }
  const filled_files = files.map(({ template, run, ...file }) => ({
    ...file,
    text: fillTemplate(template, values),
    ...(run !== undefined && { run: filled(run, values) }),
  }))
  return begin === undefined ? filled_files : [inShell(begin), ...filled_files]
}

/** The name of what is typed, among the files that are pasted. */
export const SHELL = 'a shell'

const inShell = (lines: readonly string[]): SettingsFile => ({
  file: SHELL,
  language: 'sh',
  text: `${lines.join('\n')}\n`,
  use: 'first, in an empty folder',
})

/** Whether two addresses lead to one server. An issuer with a path leaves the rest of its host to others. */
function isSamePlace(origin: string, issuer: string): boolean {
  return loopbackFree(origin) === loopbackFree(issuer)
}

const loopbackFree = (address: string) => address.replace('//127.0.0.1', '//localhost')

/** Returns the origin that a text names as a URL without a path, with or without a slash at its end. */
export function originIn(text: string): string | undefined {
  const { protocol, href, origin } = isUrl(text) ? new URL(text) : new URL('none:')
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined
}

function originOf(redirect_uri: string): string {
  return redirect_uri === '' ? '' : new URL(redirect_uri).origin
}

/** The port that an application has to listen on so that its origin leads to it. */
function portOf(origin: string): string {
  if (!isUrl(origin)) return PORT_BEHIND_PROXY
  const { hostname, port, protocol } = new URL(origin)
  if (port !== '') return port
  return protocol === 'http:' && isLoopbackHost(hostname) ? '80' : PORT_BEHIND_PROXY
}
