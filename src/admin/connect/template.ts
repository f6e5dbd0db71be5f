import { readFileSync } from 'node:fs'
import { PATHS } from '../../core/paths.ts'

/** The values of a client that its settings contain. */
export interface SettingsValues {
  readonly issuer: string
  readonly client_id: string
  /** Stands for a secret that is not known; empty for a public client. */
  readonly client_secret: string
  /** The first one; an empty text if the client has none. */
  readonly redirect_uri: string
  /** The origin of the redirect URI. */
  readonly origin: string
  readonly scope: string
  /** What the application protects its own sessions with, in base64url. */
  readonly session_secret: string
  /** Where the application listens. */
  readonly port: string
}

const PLACEHOLDER = /\{\{([a-z_.]+)\}\}/g
const LIST = /\{\{(each_[a-z_]+)\}\}/

/** Returns one line with the values of a client. @throws TypeError if it names a value that does not exist */
export function filled(line: string, values: SettingsValues): string {
  const scopes = values.scope.split(' ')
  const texts = new Map(Object.entries({ ...values, ...otherForms(values, scopes), ...paths() }))
  return fill(line, (name) => texts.get(name))
}

/** In one pass: a value may look like a placeholder. */
function fill(line: string, textOf: (name: string) => string | undefined): string {
  return line.replace(PLACEHOLDER, (_, name: string) => {
    const text = textOf(name)
    if (text === undefined) throw new TypeError(`"${line}" names ${name}, which is no value of a client`)
    return text
  })
}

/**
 * Returns a file of templates/ with the values of a client. A line with a list is repeated for each entry.
 * @throws TypeError if the template names a value that does not exist
 */
export function fillTemplate(file: string, values: SettingsValues): string {
  const template = readFileSync(new URL(`./templates/${file}`, import.meta.url), 'utf8')
  const scopes = values.scope.split(' ')
  const texts = new Map(Object.entries({ ...values, ...otherForms(values, scopes), ...paths() }))
  const lists = new Map([
    ['each_scope', scopes],
    ['each_scope_but_openid', scopes.filter((name) => name !== 'openid')],
  ])
  const lines = template.split('\n').flatMap((line) => {
    const name = LIST.exec(line)?.[1] ?? ''
    const entries = lists.get(name) ?? ['']
    return entries.map((entry) => fill(line, (one) => (lists.has(one) ? entry : texts.get(one))))
  })
  return lines.join('\n')
}

function otherForms({ issuer, client_id, redirect_uri, origin }: SettingsValues, scopes: readonly string[]) {
  const goodbye = new URLSearchParams({ client_id, post_logout_redirect_uri: `${origin}/` })
  return {
    issuer_host: new URL(issuer).host,
    encoded_sign_out: encodeURIComponent(`${issuer}${PATHS.end_session}?${goodbye}`),
    scopes_with_commas: scopes.join(', '),
    quoted_scopes: scopes.map((name) => `"${name}"`).join(', '),
    redirect_scheme: redirect_uri.split(':')[0] ?? '',
    encoded_client_id: encodeURIComponent(client_id),
    encoded_origin: encodeURIComponent(origin),
  }
}

/** The paths of the endpoints by names such as `path.token`. */
function paths(): Record<string, string> {
  return Object.fromEntries(Object.entries(PATHS).map(([name, path]) => [`path.${name}`, path]))
}
