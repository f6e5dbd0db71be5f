import type { ClientDefinition } from '../../clients/record/client-record.ts'
import { type AdminError, invalidField } from '../operation/problem.ts'
import type { Preset } from './preset.ts'
import { PRESETS, type PresetName } from './presets.ts'

/** What the record of a client of a framework depends on. */
interface Wanted {
  /** Where the application is, without a path. */
  readonly origin?: string | undefined
  /** Other redirect URIs than that of the framework. */
  readonly redirect_uris?: readonly string[] | undefined
  readonly allowed_scopes?: readonly string[] | undefined
}

/** What nothing but the operator can say: the field, and what is asked for. */
const LACKS = {
  scopes: [
    'allowed_scopes',
    'Say what its tokens may be for: type the scopes of its APIs, such as orders.read.',
  ],
  address_of_api: [
    'origin',
    'Say where the API is, such as https://orders.example.com: its tokens are for this address.',
  ],
  address: ['origin', 'Say where it is, such as https://app.example.com: its redirect URI follows.'],
  redirect_uri: [
    'redirect_uris',
    'Say where people come back to after the sign-in: type a redirect URI, such as com.example.app:/oauth2redirect.',
  ],
} as const

/** Returns the error for what is not given. */
export const lackError = (lack: keyof typeof LACKS): AdminError => {
  const [field, asked] = LACKS[lack]
  return invalidField(field, asked)
}

/** Returns what a client of a framework cannot be made without, and is not given; undefined: nothing. */
export function lackOf(
  name: PresetName,
  { origin, redirect_uris = [], allowed_scopes = [] }: Wanted,
): keyof typeof LACKS | undefined {
  const { needs, is_api }: Preset = PRESETS[name]
  if (needs === 'scope' && allowed_scopes.length === 0) return 'scopes'
  if (is_api && origin === undefined) return 'address_of_api'
  if (needs === 'origin' && origin === undefined && redirect_uris.length === 0) return 'address'
  if (needs === 'redirect-uri' && redirect_uris.length === 0) return 'redirect_uri'
  return undefined
}

/**
 * Returns the field of an API that names its clients that act, with one more.
 * @param api its record; undefined: there is none
 */
export function withActing(
  api: { readonly acting_clients?: unknown } | undefined,
  client_id: string,
): { readonly acting_clients: string[] } {
  const before = Array.isArray(api?.acting_clients) ? api.acting_clients.map(String) : []
  return { acting_clients: [...new Set([...before, client_id])] }
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1']

export type PresetFields = Preset['fields'] & Pick<ClientDefinition, 'redirect_uris' | 'allowed_scopes'>

/**
 * Returns the fields of the record of a client of a framework.
 * @throws AdminError `invalid_field` without what only the operator can say
 */
export function fieldsOfPreset(name: PresetName, wanted: Wanted): PresetFields {
  const lack = lackOf(name, wanted)
  if (lack !== undefined) throw lackError(lack)
  const { origin, allowed_scopes } = wanted
  const {
    redirect_path,
    logout_paths = [],
    logs_out_to_redirect_uri,
    backchannel_path,
    fields,
  }: Preset = PRESETS[name]
  const origins = origin === undefined ? [] : namesOf(origin)
  const below = (path: string) => origins.map((one) => `${one}${path}`)
  const redirect_uris = redirect_path === undefined ? [] : below(redirect_path)
  const post_logout_redirect_uris = logs_out_to_redirect_uri
    ? [...(wanted.redirect_uris ?? [])]
    : logout_paths.flatMap(below)
  return {
    ...fields,
    redirect_uris: redirect_uris.length > 0 ? redirect_uris : (fields.redirect_uris ?? []),
    allowed_scopes: [...(allowed_scopes ?? fields.allowed_scopes ?? [])],
    ...(post_logout_redirect_uris.length > 0 && { post_logout_redirect_uris }),
    ...(origin !== undefined &&
      backchannel_path !== undefined && { backchannel_logout_uri: `${origin}${backchannel_path}` }),
  }
}

/** The names of one origin, the given one first: frameworks print one name of loopback, and people type the other. */
function namesOf(origin: string): readonly string[] {
  const { hostname } = new URL(origin)
  const [other] = LOOPBACK_NAMES.filter((name) => name !== hostname)
  if (other === undefined || !LOOPBACK_NAMES.includes(hostname)) return [origin]
  return [origin, origin.replace(hostname, other)]
}
