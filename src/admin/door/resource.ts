import type { Settings } from '../../config/settings.ts'
import { ADMIN_SCOPES } from '../../core/admin-scopes.ts'
import { REALM } from '../../core/challenge.ts'
import { devRuleOf } from '../../core/dev-mode.ts'
import { ADMIN_PATH } from '../../core/paths.ts'
import type { GuardedResource } from '../../resource-server/own-guard.ts'
import { type DescribedResource, describeResource } from '../../resource-server/resource-metadata.ts'

/** Returns the admin API: what it says of itself (RFC 9728), and that tokens must be for it alone. */
export function describeAdmin({
  issuer,
  demo,
  client_certificate_secret,
}: Pick<Settings, 'client_certificate_secret' | 'demo' | 'issuer'>): DescribedResource & GuardedResource {
  const resource = issuer + ADMIN_PATH
  const described = describeResource(
    {
      ...REALM,
      issuer,
      resource,
      dev: devRuleOf({ demo }),
      resource_name: 'redmint admin API',
      scopes_supported: ADMIN_SCOPES,
      tls_client_certificate_bound_access_tokens: client_certificate_secret !== undefined,
    },
    { required: false },
  )
  return { ...described, audiences: [resource], demands_audience: true }
}
