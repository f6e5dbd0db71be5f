import type { ClientDefinition } from '../../clients/record/client-record.ts'
import type { Preset } from './preset.ts'
import { PRESETS, type PresetName } from './presets.ts'

/** What the record of a client of a framework depends on. */
interface Wanted {
  /** Where the application is, without a path. */
  readonly origin?: string | undefined
  readonly allowed_scopes?: readonly string[] | undefined
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1']

export type PresetFields = Preset['fields'] & Pick<ClientDefinition, 'redirect_uris' | 'allowed_scopes'>

/** Returns the fields of the record of a client of a framework. */
export function fieldsOfPreset(name: PresetName, { origin, allowed_scopes }: Wanted): PresetFields {
  const { redirect_path, logout_paths = [], backchannel_path, fields }: Preset = PRESETS[name]
  const origins = origin === undefined ? [] : namesOf(origin)
  const below = (path: string) => origins.map((one) => `${one}${path}`)
  const redirect_uris = redirect_path === undefined ? [] : below(redirect_path)
  const post_logout_redirect_uris = logout_paths.flatMap(below)
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
