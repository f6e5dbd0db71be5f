import { withQuery } from '../core/uri.ts'
import type { Client } from './record/client-record.ts'

/**
 * Returns where a person begins at a client who comes from here: where it lets others begin a sign-in, told the issuer
 * (OpenID Connect Core §4), else its home page. Both are of its record: no link and no request names an address.
 * @returns undefined: the client has neither
 */
export function startAddress(
  { initiate_login_uri, client_uri }: Pick<Client, 'initiate_login_uri' | 'client_uri'>,
  issuer: string,
): string | undefined {
  return initiate_login_uri === undefined ? client_uri : withQuery(initiate_login_uri, { iss: issuer })
}
