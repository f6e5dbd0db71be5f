import type { Check } from '../../core/field-kinds.ts'
import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../../core/field-table.ts'
import type { ClientId } from '../../core/ids.ts'
import type { FieldProblem, FieldReader, Hash, Parsed } from '../../core/record-hash.ts'
import { CLIENT_FIELDS } from './client-fields.ts'
import { checkForwardAuth } from './forward-auth-fields.ts'
import { checkMutualTls, usesCertificate } from './mtls-fields.ts'
import { checkPreview, openHostProblem } from './preview-fields.ts'
import { checkProfile, withProfile } from './profiles.ts'
import { hasBareScheme, newLogoutRedirectProblem, newRedirectUriProblem } from './redirect-uri.ts'
import { checkSector, withSector } from './sector.ts'

/** A registered client. */
export interface Client extends RecordOf<typeof CLIENT_FIELDS> {
  readonly client_id: ClientId
  /** The host of the metadata document that describes it; absent if a record does. */
  readonly document_host?: string
}

/** A client to be written; fields that have a default are optional. */
export interface ClientDefinition extends DefinitionOf<typeof CLIENT_FIELDS> {}

// RFC 6749 Appendix A.1: printable ASCII; the limit of 255 characters is redmint's.
const CLIENT_ID = /^[\x20-\x7E]{1,255}$/

/** Whether a string is a valid client_id (RFC 6749 Appendix A.1). */
export function isClientId(value: string): boolean {
  return CLIENT_ID.test(value)
}

/** Parses a client record from storage. One problem in any field makes the whole record malformed. */
export function parseClient(client_id: string, hash: Hash): Parsed<Client> {
  const withDefaults = {
    ...withProfile(hash),
    client_id: hash.client_id || client_id,
    client_name: hash.client_name || client_id,
  }
  const parsed = parseFields(CLIENT_FIELDS, withDefaults, (client, fields) => {
    checkClientId(client_id, client, fields)
    checkSecret(client, fields)
    checkOldSecret(client, fields)
    checkAssertions(client, fields)
    checkMutualTls(client, fields)
    checkKeys(client, fields)
    checkPkce(client, fields)
    checkSchemes(client, fields)
    checkSector(client, fields)
    checkProfile(fields)
    checkForwardAuth(client, fields)
    checkPreview(client, fields)
  })
  if (!parsed.ok) return parsed
  return { ok: true, record: withSector(parsed.record) }
}

/** Formats a client for storage. */
export function formatClient(client: ClientDefinition): Hash {
  return formatFields(CLIENT_FIELDS, client)
}

function checkClientId(key: string, { client_id }: Partial<Client>, fields: FieldReader): void {
  if (client_id !== key) fields.fail('client_id', 'differs from the name in the key')
}

function checkSecret(client: Partial<Client>, fields: FieldReader): void {
  const { is_public, client_secret_hash, assertion_issuer, token_endpoint_auth_method } = client
  const field = 'client_secret_hash'
  if (is_public) {
    if (client_secret_hash !== undefined) fields.fail(field, 'must be absent, because is_public is true')
  } else if (
    client_secret_hash === undefined &&
    assertion_issuer === undefined &&
    token_endpoint_auth_method !== 'private_key_jwt' &&
    !usesCertificate(client)
  ) {
    fields.fail(field, 'is missing, and is_public is false')
  }
}

// An old secret without an end would be accepted for ever.
function checkOldSecret({ is_public, ...old }: Partial<Client>, fields: FieldReader): void {
  if (old.old_secret_hash === undefined) return
  if (is_public) fields.fail('old_secret_hash', 'must be absent, because is_public is true')
  if (fields.optional('old_secret_ends_at') === undefined) {
    fields.fail('old_secret_ends_at', 'is missing, and there is an old_secret_hash')
  }
}

// A public client is one that cannot authenticate.
function checkAssertions({ is_public, assertion_issuer }: Partial<Client>, fields: FieldReader): void {
  if (is_public && assertion_issuer !== undefined) {
    fields.fail('assertion_issuer', 'must be absent, because is_public is true')
  }
}

// RFC 7591 §2.
function checkKeys(client: Partial<Client>, fields: FieldReader): void {
  const { is_public, jwks, token_endpoint_auth_method: method } = client
  const jwks_uri = fields.optional('jwks_uri')
  if (jwks !== undefined && jwks_uri !== undefined) fields.fail('jwks', 'and jwks_uri exclude each other')
  if (method !== 'private_key_jwt') return
  if (is_public) fields.fail('token_endpoint_auth_method', 'must be absent, because is_public is true')
  // A second way in beside the keys.
  if (client.assertion_issuer !== undefined) {
    fields.fail('assertion_issuer', 'must be absent, because token_endpoint_auth_method is private_key_jwt')
  }
  if (jwks === undefined && jwks_uri === undefined) {
    fields.fail('jwks', 'is missing, as is jwks_uri, and token_endpoint_auth_method is private_key_jwt')
  }
}

// RFC 9700 §2.1.1: public clients must use PKCE.
function checkPkce({ is_public, require_pkce }: Partial<Client>, fields: FieldReader): void {
  if (is_public && require_pkce === false) {
    fields.fail('require_pkce', 'must be true, because is_public is true')
  }
}

// RFC 8252 §7.1 wants a reversed domain name. Any app can claim another scheme, so the operator has to say so.
function checkSchemes({ application_type, ...client }: Partial<Client>, fields: FieldReader): void {
  if (application_type === 'native') return
  for (const field of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, text] of (client[field] ?? []).entries()) {
      if (!hasBareScheme(text)) continue
      fields.fail(
        field,
        'has a scheme that is neither http(s) nor a reversed domain name: set application_type to native if it is that of an app',
        { index, text },
      )
    }
  }
}

/**
 * Returns the URIs and hosts in the fields of a record that the commands do not register. A record that was written by hand
 * may have them.
 */
export function registrationProblems(hash: Hash): FieldProblem[] {
  const { redirect_uris = '', post_logout_redirect_uris = '', preview_hosts = '' } = hash
  return [
    ...problemsOf('preview_hosts', preview_hosts, openHostProblem),
    ...problemsOf('redirect_uris', redirect_uris, newRedirectUriProblem),
    ...problemsOf('post_logout_redirect_uris', post_logout_redirect_uris, newLogoutRedirectProblem),
  ]
}

function problemsOf(field: string, uris: string, check: Check): FieldProblem[] {
  return uris.split(/\s+/).flatMap((text, index) => {
    const problem = check(text)
    return problem === undefined ? [] : [{ field, problem, entry: { index, text } }]
  })
}
