import type { RecordOf } from '../core/field-table.ts'
import { PATHS } from '../core/paths.ts'
import type { CLIENT_FIELDS } from './client-fields.ts'
import { secretHash } from './client-secret.ts'

/** The confidential client of demo mode; its secret is public. */
export const DEMO_SERVICE = { client_id: 'demo-service', client_secret: 'demo-service-secret' } as const

/** The public client of demo mode. */
export const DEMO_APP = { client_id: 'demo-app', redirect_uri: 'http://127.0.0.1/callback' } as const

/** The public client that is the page /demo itself. */
export const DEMO_PAGE = { client_id: 'demo-page', callback: `${PATHS.demo}/callback` } as const

/** The public client that is the device of the page /demo/device. */
export const DEMO_DEVICE = { client_id: 'demo-device' } as const

const DEMO_SECRET_HASH = secretHash(DEMO_SERVICE.client_secret)

type Marked = Pick<
  RecordOf<typeof CLIENT_FIELDS>,
  'client_id' | 'client_secret_hash' | 'demo' | 'is_public' | 'old_secret_hash' | 'redirect_uris'
>

/**
 * Whether demo mode wrote a client. Earlier versions wrote no mark: theirs have the known client_id, and the known secret
 * or for the public client the known redirect URI.
 */
export function isDemoClient(client: Marked): boolean {
  if (client.demo) return true
  if (client.client_id === DEMO_SERVICE.client_id) {
    return [client.client_secret_hash, client.old_secret_hash].includes(DEMO_SECRET_HASH)
  }
  return (
    client.client_id === DEMO_APP.client_id &&
    client.is_public &&
    client.redirect_uris.join(' ') === DEMO_APP.redirect_uri
  )
}
