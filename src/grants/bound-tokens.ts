import type { Caller } from '../clients/client-auth.ts'
import type { Client } from '../clients/client-record.ts'
import { certificateMissing } from '../core/client-errors.ts'

/**
 * Returns the thumbprint of the certificate that a token request binds its tokens to (RFC 8705 §3); undefined unless the
 * client is registered for that.
 * @throws OAuthError `invalid_request` if the client must send a certificate and there is none that can be used
 */
export function certificateBinding(
  { tls_client_certificate_bound_access_tokens: is_bound }: Client,
  caller: Pick<Caller, 'certificate'>,
): string | undefined {
  if (!is_bound) return undefined
  const presented = caller.certificate()
  if (!presented.ok) throw certificateMissing(presented.reason)
  return presented.certificate.thumbprint
}
