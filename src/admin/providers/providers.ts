import type { Settings } from '../../config/settings.ts'
import { hasProviders } from '../../config/sign-in-ways.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { LastingKeyContext } from '../../keys/lasting-key.ts'
import { clientSecretProblem, openClientSecret, sealClientSecret } from '../../providers/client-secret.ts'
import { presetFields } from '../../providers/presets.ts'
import { PROVIDER_FIELDS } from '../../providers/provider-fields.ts'
import { PROVIDER, type Provider, parseProvider, providerProblem } from '../../providers/provider-record.ts'
import { invalidField, invalidFields } from '../operation/problem.ts'
import { ALL_RIGHTS } from '../operation/rights.ts'
import type { SimpleType, Stored } from '../simple/simple-type.ts'

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
  secret: {
    async seal(context, stored, secret, dry_run) {
      const record = ownerOf(stored, secret)
      if ((await openClientSecret(context, record)) === secret) return {}
      return dry_run ? { client_secret_sealed: 'not yet' } : sealed(context, record, secret)
    },
  },
  // It says who somebody is, so that it can stand for any user.
  rights: ALL_RIGHTS,
  written: (provider) => ({ event: 'provider_changed', provider }),
  removed: (provider) => ({ event: 'provider_removed', provider }),
}

/**
 * Returns the fields that keep the secret of a provider, sealed anew.
 * @throws AdminError `invalid_field`; StorageUnavailable
 */
export function sealedSecret(context: LastingKeyContext, stored: Stored, secret: string): Promise<Hash> {
  return sealed(context, ownerOf(stored, secret), secret)
}

async function sealed(context: LastingKeyContext, owner: Provider, secret: string): Promise<Hash> {
  return { client_secret_sealed: await sealClientSecret(context, owner, secret) }
}

function ownerOf({ id, hash }: Stored, secret: string): Provider {
  const provider = wellFormed(id, hash)
  const problem = clientSecretProblem(provider, secret)
  if (problem !== undefined) throw invalidField('client_secret', `client_secret ${problem}`)
  return provider
}

/** Returns the provider of a record. @throws AdminError `invalid_field` */
export function wellFormed(id: string, hash: Hash): Provider {
  const parsed = parseProvider(id, hash)
  if (!parsed.ok) throw invalidFields(parsed.problems)
  return parsed.record
}

/** Returns why nobody signs in by providers at a server with these settings. */
export function providersOff({ sign_in }: Pick<Settings, 'sign_in'>): string | undefined {
  return hasProviders({ sign_in })
    ? undefined
    : `SIGN_IN is ${sign_in} here: people sign in by providers only with SIGN_IN=providers, or provider: and the id of one.`
}
