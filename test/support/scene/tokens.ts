// What clients do after a sign-in.

import { codeRequest } from '../service.ts'
import { asDeparture, type Departure, type Page } from '../visitor.ts'
import type { Stage } from './stage.ts'

/** The claims of a JWT, unverified. */
export const claimsIn = (jwt: unknown) =>
  JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString())

export function tokenSteps({ token }: Stage) {
  /** Redeems the code that the browser left with. Returns the answer of the token endpoint. */
  const redeem = async (found: Page | Departure, client_id = 'own') =>
    token(codeRequest(asDeparture(found).told.get('code') ?? '', { client_id }))
  return {
    redeem,
    refresh: (refresh_token: unknown, client_id = 'own') =>
      token({ grant_type: 'refresh_token', client_id, refresh_token: String(refresh_token) }),
    /** What the id_token says after a sign-in. */
    claims: async (found: Page | Departure, client_id = 'own') =>
      claimsIn((await redeem(found, client_id)).json.id_token),
  }
}
