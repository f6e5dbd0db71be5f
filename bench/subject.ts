// The client and the users that every measured server knows.
import { createHash } from 'node:crypto'
import type { ClientDefinition } from '../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../src/clients/record/grant-types.ts'
import type { Settings } from './row.ts'

/** What a load sends to a server: who the client and the users are there. */
export interface Subject {
  client_id: string
  client_secret: string
  redirect_uri: string
  username(user: number): string
  password: string
}

/** The trusted issuer of the assertions about the client. */
export const BENCH_ISSUER = 'https://ci.bench.example'

export const SUBJECT: Subject = {
  client_id: 'bench',
  client_secret: 'a-secret-that-only-the-benchmark-knows',
  redirect_uri: 'http://127.0.0.1/callback',
  // One for each connection, so that no limit on sign-ins of one user is met.
  username: (user) => `user-${user}`,
  password: 'a-password-of-the-benchmark',
}

/**
 * The client and the users of a server given by address: BENCH_CLIENT_ID, BENCH_CLIENT_SECRET, BENCH_REDIRECT_URI,
 * BENCH_USERNAME and BENCH_PASSWORD, or those above.
 */
export function foreignSubject(env: NodeJS.ProcessEnv): Subject {
  return {
    client_id: env.BENCH_CLIENT_ID ?? SUBJECT.client_id,
    client_secret: env.BENCH_CLIENT_SECRET ?? SUBJECT.client_secret,
    redirect_uri: env.BENCH_REDIRECT_URI ?? SUBJECT.redirect_uri,
    username: (user) => env.BENCH_USERNAME ?? SUBJECT.username(user),
    password: env.BENCH_PASSWORD ?? SUBJECT.password,
  }
}

/** The record of the client at redmint. */
export function clientRecord(
  { auth, dpop, format, id_alg, operation }: Settings & { operation?: string },
  jwks: string,
): ClientDefinition {
  return {
    client_id: SUBJECT.client_id,
    ...(auth === 'private_key_jwt'
      ? { token_endpoint_auth_method: 'private_key_jwt', jwks }
      : { client_secret_hash: createHash('sha256').update(SUBJECT.client_secret).digest('base64') }),
    client_name: 'Benchmark',
    redirect_uris: [SUBJECT.redirect_uri],
    allowed_scopes: ['openid', 'api.read'],
    grant_types: [
      'client_credentials',
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    is_public: false,
    ...(operation === 'assertion' && {
      grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      assertion_issuer: BENCH_ISSUER,
    }),
    ...(operation === 'exchange' && {
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
      exchange_mode: 'delegate',
    }),
    ...(operation === 'signed-introspection' && { introspection_signed_response_alg: 'ES256' }),
    ...(dpop && { dpop_bound_access_tokens: true }),
    disabled: false,
    first_party: true,
    access_token_format: format,
    id_token_signed_response_alg: id_alg,
  }
}
