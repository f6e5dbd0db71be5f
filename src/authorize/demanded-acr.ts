import type { ClaimsRequest } from '../claims/claims-request.ts'
import type { Client } from '../clients/record/client-record.ts'

/** What a request, and the client that sent it, demand of the sign-in. */
interface Demanding {
  readonly client: Pick<Client, 'required_acr'>
  readonly claims: Pick<ClaimsRequest, 'essential_acr'>
}

/**
 * The acr values of which the sign-in must have one: those of the essential claim (OpenID Connect Core §5.5.1.1) that the
 * operator lets do for the client. Undefined: any.
 */
export function demandedAcr({
  client: { required_acr },
  claims: { essential_acr },
}: Demanding): readonly string[] | undefined {
  if (required_acr === undefined) return essential_acr
  return essential_acr === undefined
    ? required_acr
    : essential_acr.filter((acr) => required_acr.includes(acr))
}
