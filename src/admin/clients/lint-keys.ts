import { encryptionProblems } from '../../clients/keys/key-problems.ts'
import type { Client } from '../../clients/record/client-record.ts'
import { ENCRYPTED_ANSWERS } from '../../clients/record/signed-answer-fields.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'

/** Warns of requests that no key could verify (RFC 9101 §10.5). */
export function requestWarnings({ require_signed_request_object, jwks, jwks_uri }: Hash): FieldProblem[] {
  if (require_signed_request_object !== 'true' || jwks || jwks_uri) return []
  const problem = 'must sign its requests, and there is neither jwks nor jwks_uri to verify them: add one'
  return [{ field: 'require_signed_request_object', problem }]
}

/** Warns of fields about keys that are not used, or that cannot work. */
export function keyWarnings(client: Client): FieldProblem[] {
  const { token_endpoint_auth_method: method, token_endpoint_auth_signing_alg: alg } = client
  const found: FieldProblem[] = []
  const warn = (field: string, problem: string) => found.push({ field, problem })
  if (client.keys_refreshed_at !== undefined && client.jwks_uri === undefined) {
    warn('keys_refreshed_at', 'is not used, because there is no jwks_uri')
  }
  if (method !== 'private_key_jwt') {
    const problem = 'is not used, because token_endpoint_auth_method is not private_key_jwt'
    if (alg !== undefined) warn('token_endpoint_auth_signing_alg', problem)
    if (client.assertion_audience === 'endpoint') warn('assertion_audience', problem)
    return found
  }
  if (client.client_secret_hash !== undefined) {
    warn(
      'client_secret_hash',
      'is not used, because token_endpoint_auth_method is private_key_jwt: remove it',
    )
  }
  if (client.assertion_audience === 'endpoint') {
    warn(
      'assertion_audience',
      'is endpoint, and another server can claim that the endpoint is its own: set it to issuer when the client can name ISSUER',
    )
  }
  return found
}

/** Warns of answers that no key of the record can encrypt, and of fields about an encryption that there is not. */
export function encryptionWarnings(hash: Hash): FieldProblem[] {
  const unused = ENCRYPTED_ANSWERS.flatMap((what) => {
    const [field, enc] = [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`]
    if (hash[field] || !hash[enc]) return []
    return [{ field: enc, problem: `is not used, because there is no ${field}` }]
  })
  return [...encryptionProblems(hash), ...unused]
}
