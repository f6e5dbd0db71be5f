import { SUBJECT_FIELDS, usesCertificate } from '../../clients/record/mtls-fields.ts'
import type { Settings } from '../../config/settings.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'

/** Returns the warnings about the certificates of a client, which depend on the settings of the servers. */
export function mtlsWarnings(
  hash: Hash,
  { client_certificate_secret }: Pick<Settings, 'client_certificate_secret'>,
): FieldProblem[] {
  const method = hash.token_endpoint_auth_method
  const unused = method === 'tls_client_auth' ? [] : SUBJECT_FIELDS.filter((field) => hash[field])
  const off = 'which needs CLIENT_CERTIFICATE_SECRET, but it is not set here'
  const bound = 'tls_client_certificate_bound_access_tokens'
  return [
    ...unused.map((field) => ({
      field,
      problem: 'is not used, because token_endpoint_auth_method is not tls_client_auth',
    })),
    ...(client_certificate_secret === undefined && usesCertificate(hash)
      ? [{ field: 'token_endpoint_auth_method', problem: `is ${method}, ${off}: nobody can authenticate` }]
      : []),
    ...(client_certificate_secret === undefined && hash[bound] === 'true'
      ? [{ field: bound, problem: `is true, ${off}: the client gets no tokens` }]
      : []),
  ]
}
