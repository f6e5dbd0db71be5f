import { InvalidArgumentError } from 'commander'
import type { Preset, SettingsFile } from '../../src/admin/connect/preset.ts'
import { fieldsOfPreset, lackOf, type PresetFields } from '../../src/admin/connect/preset-fields.ts'
import { PRESET_NAMES as NAMES, PRESETS, type PresetName } from '../../src/admin/connect/presets.ts'
import { originIn } from '../../src/admin/connect/settings.ts'
import { nearestName } from '../../src/core/nearest.ts'
import { UsageError } from '../errors.ts'

/** The names of all presets, for messages. */
export const PRESET_NAMES = NAMES.join(', ')

/** Parses the value of `--for`. @throws InvalidArgumentError that lists the names */
export function readPreset(value: string): PresetName {
  const name = NAMES.find((known) => known === value)
  if (name !== undefined) return name
  const nearest = nearestName(value, NAMES)
  throw new InvalidArgumentError(
    `${nearest === undefined ? '' : `Did you mean ${nearest}? `}The names are ${PRESET_NAMES}.`,
  )
}

/** Parses the value of `--origin`; returns it without a slash at its end. @throws InvalidArgumentError */
export function readOrigin(value: string): string {
  const origin = originIn(value)
  if (origin !== undefined) return origin
  throw new InvalidArgumentError(
    'Give the address of the application without a path, such as https://app.example.com.',
  )
}

/** The flags of `client add` that a preset depends on; lists as the record has them. */
export interface Given {
  readonly origin?: string | undefined
  readonly redirect_uris?: string | undefined
  readonly allowed_scopes?: string | undefined
  readonly public?: true | undefined
  readonly secret_given: boolean
}

/**
 * Returns the fields that a preset sets, before the flags of single fields.
 * @throws UsageError if a flag is missing, or contradicts the preset
 */
export function presetFields(name: PresetName, given: Given): PresetFields {
  assertFlags(name, PRESETS[name], given)
  const { origin, redirect_uris, allowed_scopes } = given
  const wanted = {
    origin,
    redirect_uris: redirect_uris?.split(' '),
    allowed_scopes: allowed_scopes?.split(' '),
  }
  const lack = lackOf(name, wanted)
  if (lack !== undefined) throw new UsageError(`--for ${name} needs ${FLAGS[lack]}.`)
  return fieldsOfPreset(name, wanted)
}

/** The flags that say what a preset cannot do without. */
const FLAGS: Readonly<Record<NonNullable<ReturnType<typeof lackOf>>, string>> = {
  scopes: 'the scopes of its access tokens: --scope "api.read api.write"',
  address_of_api: 'the address of the API: --origin https://orders.example.com',
  address: 'the address of the application: --origin https://app.example.com, or --redirect-uri',
  redirect_uri: 'the redirect URI of the app: --redirect-uri com.example.app:/oauth2redirect',
}

function assertFlags(name: PresetName, preset: Preset, given: Given): void {
  const { redirect_path, is_api, fields } = preset
  if (given.origin !== undefined && redirect_path === undefined && !is_api) {
    throw new UsageError(`--for ${name} has no use for --origin: omit it.`)
  }
  if (fields.is_public && given.secret_given) {
    throw new UsageError(`--for ${name} makes a public client, which has no secret: omit --secret-stdin.`)
  }
  if (!fields.is_public && given.public) {
    throw new UsageError(`--for ${name} makes a client with a secret: omit --public.`)
  }
}

/** Formats settings as text. */
export function formatSettings(name: PresetName, files: readonly SettingsFile[]): string {
  const blocks = files.map(({ file, text, use, run }) => {
    const notes = [use, run === undefined ? undefined : `run by: ${run}`].filter((note) => note !== undefined)
    return `\n--- ${[file, ...notes].join(', ')}\n${text.trimEnd()}`
  })
  return [`Settings for ${PRESETS[name].title}; docs/connect/${name}.md says what to know.`, ...blocks].join(
    '\n',
  )
}
