import type { Caller } from '../clients/client-auth.ts'
import type { Client } from '../clients/client-record.ts'
import type { Confirmation } from '../core/confirmation.ts'
import { certificateMissing } from '../core/errors.ts'

/**
 * Returns what the certificate of a token request binds its tokens to (RFC 8705 §3); nothing, unless the client is
 * registered for that.
 * @throws OAuthError `invalid_request` if the client must send a certificate and there is none that can be used
 */
export function certificateBinding(
  { tls_client_certificate_bound_access_tokens: is_bound }: Client,
  caller: Pick<Caller, 'certificate'>,
): Confirmation {
  if (!is_bound) return {}
  const presented = caller.certificate()
  if (!presented.ok) throw certificateMissing(presented.reason)
  return { 'x5t#S256': presented.certificate.thumbprint }
}
