import type { Settings } from '../config/settings.ts'
import { ADMIN_SCOPES } from '../core/admin-scopes.ts'
import { ADMIN_PATH, API_PATH } from '../core/paths.ts'
import { resourceId } from '../core/resource-uri.ts'
import type { Resource } from './resource-record.ts'

/** Returns the APIs of this server, which need no record. */
export function ownResources({ admin_api, issuer }: Pick<Settings, 'admin_api' | 'issuer'>): Resource[] {
  const own = [ownResource(issuer), ownResource(issuer + API_PATH)]
  return admin_api === 'on' ? [...own, adminResource(issuer + ADMIN_PATH)] : own
}

/** Whether a URI names this server or one of its APIs, also one that is off. */
export function isOwnResource({ issuer }: Pick<Settings, 'issuer'>, uri: string): boolean {
  const id = resourceId(uri)
  return ownResources({ issuer, admin_api: 'on' }).some((own) => own.id === id)
}

function ownResource(uri: string): Resource {
  const id = resourceId(uri) ?? uri
  return {
    id,
    resource: uri,
    scopes: [],
    acting_clients: [],
    exchange_bound: false,
    status_list: false,
    disabled: false,
  }
}

// Opaque, so that an end takes effect at once, and nothing but this server can verify a token for it.
function adminResource(uri: string): Resource {
  return { ...ownResource(uri), scopes: ADMIN_SCOPES, access_token_format: 'opaque', is_admin: true }
}
