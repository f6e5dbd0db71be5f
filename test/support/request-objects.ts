// Clients that sign their authorization requests.
import type { RecordStore } from '../../src/storage/storage.ts'
import { changeClient } from './records.ts'
import { authorizationRequest, ISSUER } from './service.ts'
import { assertionOf, type Claims, type IssuerKey, keySetOf } from './trusted-issuer.ts'

/** The claims of a request object that is valid for the next minutes; overrides with undefined leave one out. */
export function objectClaims(
  parameters: Claims,
  overrides: Claims = {},
  now: () => number = Date.now,
): Claims {
  const nbf = Math.floor(now() / 1000)
  const { client_id } = parameters
  return { iss: client_id, aud: ISSUER, nbf, exp: nbf + 300, ...parameters, ...overrides }
}

/** A request object with the parameters of authorizationRequest; overrides change its claims. */
export function requestObject(key: IssuerKey, overrides: Claims = {}, header: Claims = {}): string {
  const claims = objectClaims(authorizationRequest(), overrides)
  return assertionOf(
    key,
    { ...claims, iss: 'iss' in overrides ? overrides.iss : claims.client_id },
    {
      typ: 'oauth-authz-req+jwt',
      ...header,
    },
  )
}

/** Gives a client keys. */
export async function giveKeys(
  storage: RecordStore,
  client_id: string,
  keys: readonly IssuerKey[],
  more: Record<string, string> = {},
): Promise<void> {
  await changeClient(storage, client_id, { set: { jwks: keySetOf(...keys), ...more } })
}
