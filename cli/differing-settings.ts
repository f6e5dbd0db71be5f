import type { Settings } from '../src/config/settings.ts'
import { VERSION } from '../src/core/version.ts'
import { agreedSettings } from '../src/service/agreed-settings.ts'
import { readServers } from '../src/service/running-server.ts'
import type { Storage } from '../src/storage/storage.ts'

/** The settings by which a command on the host decides, besides the issuer. */
const DECIDING = [
  'audit',
  'audit_key',
  'explain_max',
  'groups_claim',
  'login_url',
  'mail_from',
  'passkeys',
  'password_min_length',
  'second_factor',
  'shared_signals',
  'sign_in',
  'trusted_issuers',
] as const satisfies readonly (keyof Settings)[]

/** How many processes are asked: servers agree, and redmint doctor says where they do not. */
const ASKED = 20

/**
 * Returns a sentence about the settings that are others here than at every server of this version that runs; undefined:
 * there are none. A secret is named alone.
 * @throws StorageUnavailable
 */
export async function differingSettings(storage: Storage, settings: Settings): Promise<string | undefined> {
  const servers = (await readServers(storage, ASKED)).filter(({ version }) => version === VERSION)
  const here = agreedSettings({ settings, storage })
  const different = DECIDING.flatMap((name) => {
    const own = here[name]
    const [there, ...others] = servers.map((server) => server.settings[name])
    if (servers.length === 0 || [there, ...others].includes(own)) return []
    const is_hidden = [own, there].some((text) => text?.startsWith('sha256:'))
    const values = is_hidden ? '' : ` (${own ?? 'not set'} here, ${there ?? 'not set'} there)`
    return [name.toUpperCase() + values]
  })
  return different.length === 0
    ? undefined
    : `The servers have other settings than this environment: ${different.join(', ')}. The command goes by this environment: set the same here.`
}
