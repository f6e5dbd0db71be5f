import type { IssuerDefinition } from '../../issuers/issuer-record.ts'

/** What a well-known kind of issuer needs in its record. */
export interface IssuerPreset {
  /** Its URL, if all of its users have the same one. */
  readonly issuer?: string
  /** How its URL looks, if it is not the same for all. */
  readonly example?: string
  readonly fields: Omit<IssuerDefinition, 'issuer'>
  /** A condition that the operator has to give, because the issuer serves everybody; only its claims count. */
  readonly wanted?: { readonly claims: readonly string[]; readonly example: string }
  /** The `sub` of its assertions, for `client add --assertion-subject`. */
  readonly subject: string
}

/** The kinds of issuers that `issuer add --for` knows; docs/trusted-issuers.md has a chapter about each. */
export const ISSUER_PRESETS = {
  kubernetes: {
    example: 'https://kubernetes.default.svc.cluster.local',
    // A pod reads the same token until the kubelet replaces it.
    fields: { algorithms: ['ES256', 'RS256'], reusable: true, max_lifetime: 3600 },
    subject: 'system:serviceaccount:prod:billing',
  },
  'github-actions': {
    issuer: 'https://token.actions.githubusercontent.com',
    fields: { algorithms: ['RS256'], max_lifetime: 600 },
    wanted: {
      claims: ['repository_owner', 'repository_owner_id', 'repository', 'repository_id', 'enterprise_id'],
      example: 'repository_owner=acme',
    },
    subject: 'repo:acme/shop:ref:refs/heads/main',
  },
  gitlab: {
    issuer: 'https://gitlab.com',
    fields: { algorithms: ['RS256'], max_lifetime: 3900 },
    wanted: {
      claims: ['namespace_path', 'namespace_id', 'project_path', 'project_id'],
      example: 'namespace_path=acme',
    },
    subject: 'project_path:acme/shop:ref_type:branch:ref:main',
  },
  spiffe: {
    example: 'https://oidc-discovery.example.org',
    fields: { algorithms: ['ES256', 'RS256'], reusable: true, max_lifetime: 600 },
    subject: 'spiffe://example.org/ns/prod/sa/billing',
  },
  aws: {
    example: 'https://0123abcd-….tokens.sts.global.api.aws',
    fields: { algorithms: ['RS256'], max_lifetime: 3600 },
    subject: 'arn:aws:iam::123456789012:role/billing',
  },
  azure: {
    example: 'https://login.microsoftonline.com/<tenant>/v2.0',
    // Managed identities get tokens of a day, and the same one again.
    fields: { algorithms: ['RS256'], reusable: true, max_lifetime: 90_000 },
    subject: 'the object id of the managed identity',
  },
  gcp: {
    issuer: 'https://accounts.google.com',
    fields: { algorithms: ['RS256'], reusable: true, max_lifetime: 3600 },
    subject: 'the unique id of the service account',
  },
} as const satisfies Readonly<Record<string, IssuerPreset>>

export type IssuerPresetName = keyof typeof ISSUER_PRESETS

export const ISSUER_PRESET_NAMES = Object.keys(ISSUER_PRESETS) as IssuerPresetName[]

/** Returns the preset of an issuer that has the same URL for everybody; undefined for any other. */
export function sharedPreset(issuer: string): IssuerPreset | undefined {
  const presets: readonly IssuerPreset[] = Object.values(ISSUER_PRESETS)
  return presets.find((preset) => preset.issuer === issuer)
}
