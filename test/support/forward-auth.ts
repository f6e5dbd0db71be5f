// An application behind a proxy, as clients and requests.
import type { ClientDefinition } from '../../src/clients/record/client-record.ts'
import { CLIENTS } from './service.ts'

/** A client for an application at this origin. */
export const behindProxy = (origin: string, client_id = 'intranet') =>
  ({
    ...CLIENTS.app,
    client_id,
    client_name: 'Intranet',
    allowed_scopes: ['openid', 'profile', 'email', 'groups'],
    redirect_uris: [`${origin}/.redmint/callback`],
    forward_auth_hosts: [new URL(origin).host],
    refresh_tokens: 'never',
    logout_ends_tokens: true,
    first_party: true,
  }) satisfies ClientDefinition
