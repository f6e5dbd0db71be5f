import type { Presented } from '../certificates/client-certificate.ts'
import type { ChallengeAttributes } from '../core/challenge.ts'
import type { Confirmation } from '../core/confirmation.ts'
import { invalidToken } from '../core/errors.ts'

/**
 * Checks that a request has the certificate to which its token is bound (RFC 8705 §3). Without certificates here nobody
 * can use such a token.
 * @throws OAuthError `invalid_token`
 */
export function demandCertificate(
  confirmation: Confirmation | undefined,
  readCertificate: () => Presented,
  place?: ChallengeAttributes,
): void {
  const thumbprint = confirmation?.['x5t#S256']
  if (thumbprint === undefined) return
  const presented = readCertificate()
  if (!presented.ok) throw invalidToken(`bound to a certificate: ${presented.reason}`, place)
  if (presented.certificate.thumbprint === thumbprint) return
  throw invalidToken('bound to another certificate', place)
}
