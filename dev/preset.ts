import type { Calls } from '../cli/calls.ts'
import { addClient } from '../cli/client/edit.ts'
import type { Preset } from '../src/admin/connect/preset.ts'
import type { PresetName } from '../src/admin/connect/presets.ts'
import { PRESETS } from '../src/admin/connect/presets.ts'

/** Where an application runs, unless it says otherwise: any port of this machine counts. */
const DEFAULT_ORIGIN = 'http://localhost:3001'
const SCOPES = 'api.read api.write'
const APP_CALLBACK = 'com.example.app:/callback'

/**
 * Registers a client of a framework, whose secret is the same at each start, and returns the settings to paste.
 * @throws UsageError, Refusal
 */
export async function addPreset(calls: Calls, name: PresetName, origin: string | undefined): Promise<string> {
  const { needs, redirect_path, is_api, fields }: Preset = PRESETS[name]
  const has_origin = needs === 'origin' || redirect_path !== undefined || is_api === true
  const flags = {
    for: name,
    ...((has_origin || origin !== undefined) && { origin: origin ?? DEFAULT_ORIGIN }),
    ...(needs === 'redirect-uri' && { redirectUri: [APP_CALLBACK] }),
    ...((needs === 'scope' || is_api) && { scope: [SCOPES] }),
  }
  const secret = fields.is_public ? undefined : `dev-secret-of-${name}-which-is-in-no-way-secret`
  const { text } = await addClient(calls, name, flags, secret)
  const settings = text.slice(text.indexOf('Settings for '))
  // A secret that is given is not shown: whoever gave it has it.
  return secret === undefined ? settings : settings.replaceAll('<client_secret>', secret)
}
