import { refusedClientAssertion } from '../../core/client-errors.ts'
import { invalidDpopProof, USED_BEFORE } from '../../core/dpop-errors.ts'
import type { OAuthError } from '../../core/errors.ts'
import type { ClientId } from '../../core/ids.ts'
import type { UsedBefore } from '../../storage/single-use.ts'

/** Returns the error for a client that presents an assertion or a proof again (RFC 7523 §3, RFC 9449 §11.1). */
export function usedBefore({ kind }: UsedBefore, client_id: ClientId): OAuthError {
  return kind === 'proof'
    ? invalidDpopProof(USED_BEFORE, {
        event: { event: 'proof_replayed', client_id },
      })
    : refusedClientAssertion('client_assertion_used', 'used before', {
        event: { event: 'assertion_replayed', client_id },
      })
}
