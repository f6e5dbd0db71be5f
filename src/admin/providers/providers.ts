import type { Settings } from '../../config/settings.ts'
import { hasProviders } from '../../config/sign-in-ways.ts'
import { presetFields } from '../../providers/presets.ts'
import { PROVIDER_FIELDS } from '../../providers/provider-fields.ts'
import { PROVIDER, providerProblem } from '../../providers/provider-record.ts'
import { invalidField } from '../operation/problem.ts'
import { ALL_RIGHTS } from '../operation/rights.ts'
import type { SimpleType } from '../simple/simple-type.ts'

/** Providers of accounts, as operators see and set them. */
export const PROVIDERS: SimpleType<typeof PROVIDER_FIELDS, 'provider'> = {
  name: 'provider',
  kind: PROVIDER,
  table: PROVIDER_FIELDS,
  id: 'provider',
  read_only: ['managed_by'],
  idOf(provider) {
    const problem = providerProblem(provider)
    if (problem !== undefined) throw invalidField('provider', `provider ${problem}`)
    return provider
  },
  async find({ records }, provider) {
    const hash = (await records.read(PROVIDER, provider))?.hash
    return hash && { id: provider, hash }
  },
  base: (provider, given) => presetFields(provider, given),
  // It says who somebody is, so that it can stand for any user.
  rights: ALL_RIGHTS,
  written: (provider) => ({ event: 'provider_changed', provider }),
  removed: (provider) => ({ event: 'provider_removed', provider }),
}

/** Returns why nobody signs in by providers at a server with these settings. */
export function providersOff({ sign_in }: Pick<Settings, 'sign_in'>): string | undefined {
  return hasProviders({ sign_in })
    ? undefined
    : `SIGN_IN is ${sign_in} here: people sign in by providers only with SIGN_IN=providers, or provider: and the id of one.`
}
