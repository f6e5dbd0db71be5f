import type { Hash } from '../core/record-hash.ts'
import type { PROVIDER_KINDS } from './provider-fields.ts'
import type { Provider } from './provider-record.ts'

export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** What a kind of provider needs. */
interface ProviderPreset {
  /** What pages call it; absent: the host of its issuer. */
  readonly name?: string
  /** Its issuer, if all of its users have the same one. */
  readonly issuer?: string
  /** How its issuer looks, if it is not the same for all. */
  readonly example?: string
  /** What redmint asks it for; absent: `openid profile email`. */
  readonly scope?: readonly string[]
  /** Where a client is registered. */
  readonly place: string
}

/** The kinds of providers; docs/providers.md has a chapter about each. */
export const PROVIDER_PRESETS: Readonly<Record<ProviderKind, ProviderPreset>> = {
  google: {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    place: 'https://console.cloud.google.com/auth/clients, as a client of the type “Web application”',
  },
  apple: {
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    scope: ['openid', 'name', 'email'],
    place:
      'https://developer.apple.com/account/resources/identifiers, as a Services ID, which is the client_id',
  },
  microsoft: {
    name: 'Microsoft',
    example: 'https://login.microsoftonline.com/<tenant id>/v2.0',
    place: 'https://entra.microsoft.com, App registrations, with the platform “Web”',
  },
  github: {
    name: 'GitHub',
    issuer: 'https://github.com',
    scope: ['read:user', 'user:email'],
    place: 'https://github.com/settings/developers, as an OAuth app',
  },
  gitlab: {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    place: 'https://gitlab.com/-/user_settings/applications, as a confidential application',
  },
  oidc: { example: 'https://login.example.org', place: 'the provider, as a confidential client' },
}

/** Returns what a new record of a provider has of the fields that are not given: what all providers of its kind have. */
export function presetFields(provider: string, given: Hash): Hash {
  const kind = given.kind ?? kindOf(provider)
  const { issuer, scope }: Partial<ProviderPreset> = isKind(kind) ? PROVIDER_PRESETS[kind] : {}
  return { kind, ...(issuer !== undefined && { issuer }), ...(scope && { scope: scope.join(' ') }) }
}

/** Returns what pages call a provider. */
export function nameOf({ name, kind, issuer }: Pick<Provider, 'name' | 'kind' | 'issuer'>): string {
  return name ?? PROVIDER_PRESETS[kind].name ?? new URL(issuer).host
}

/** Returns the kind that the name of a provider stands for. */
export function kindOf(provider: string): ProviderKind {
  return isKind(provider) ? provider : 'oidc'
}

const isKind = (name: string): name is ProviderKind => Object.hasOwn(PROVIDER_PRESETS, name)
