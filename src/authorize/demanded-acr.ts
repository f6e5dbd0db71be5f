import type { ClaimsRequest } from '../claims/claims-request.ts'
import type { Client } from '../clients/record/client-record.ts'
import { acrForAll } from '../core/acr.ts'
import type { CheckedDetail } from '../details/check-details.ts'

/** What a request, the client that sent it, and the types of its details demand of the sign-in. */
interface Demanding {
  readonly client: Pick<Client, 'required_acr'>
  readonly claims: Pick<ClaimsRequest, 'essential_acr'>
  readonly details?: readonly CheckedDetail[] | undefined
}

/**
 * The acr values of which the sign-in must have one: those of the essential claim (OpenID Connect Core §5.5.1.1) that the
 * operator lets do for the client and for what it asks for in detail. Undefined: any.
 */
export function demandedAcr({
  client: { required_acr },
  claims: { essential_acr },
  details = [],
}: Demanding): readonly string[] | undefined {
  return acrForAll(essential_acr, required_acr, ...details.map(({ type }) => type.required_acr))
}
