import type { ClientDefinition } from '../../clients/record/client-record.ts'
import type { Preset } from './preset.ts'
import { PRESETS, type PresetName } from './presets.ts'

/** What the record of a client of a framework depends on. */
interface Wanted {
  /** Where the application is, without a path. */
  readonly origin?: string | undefined
  readonly allowed_scopes?: readonly string[] | undefined
}

export type PresetFields = Preset['fields'] & Pick<ClientDefinition, 'redirect_uris' | 'allowed_scopes'>

/** Returns the fields of the record of a client of a framework. */
export function fieldsOfPreset(name: PresetName, { origin, allowed_scopes }: Wanted): PresetFields {
  const { redirect_path, logout_paths = [], fields }: Preset = PRESETS[name]
  const below = (path: string) => `${origin}${path}`
  const is_below = origin !== undefined && redirect_path !== undefined
  return {
    ...fields,
    redirect_uris: is_below ? [below(redirect_path)] : (fields.redirect_uris ?? []),
    allowed_scopes: [...(allowed_scopes ?? fields.allowed_scopes ?? [])],
    ...(origin === undefined || logout_paths.length === 0
      ? {}
      : { post_logout_redirect_uris: logout_paths.map(below) }),
  }
}
