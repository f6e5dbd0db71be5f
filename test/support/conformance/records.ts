// The records that the suite needs: its clients, and a user with all claims.
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { RELYING_PARTIES } from '../accounts.ts'

export const SUITE = 'https://suite.example.org/test/a/redmint'
export const CALLBACK = `${SUITE}/callback`
export const POST_LOGOUT = `${SUITE}/post_logout_redirect`
export const USERNAME = 'certified'

const client = {
  ...RELYING_PARTIES.plain,
  client_name: 'Conformance suite',
  redirect_uris: [CALLBACK],
  post_logout_redirect_uris: [POST_LOGOUT],
  allowed_scopes: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
  grant_types: ['authorization_code'],
} satisfies ClientDefinition

/** The clients that the suite is configured with; `jwt` gets access tokens of the other format. */
export const SUITE_CLIENTS: readonly ClientDefinition[] = [
  { ...client, client_id: 'suite-1' },
  { ...client, client_id: 'suite-2' },
  { ...client, client_id: 'suite-jwt', access_token_format: 'jwt' },
  ...(['ES256', 'PS256', 'EdDSA'] as const).map((alg) => ({
    ...client,
    client_id: `suite-${alg}`,
    id_token_signed_response_alg: alg,
  })),
]

/** A user with every standard claim. */
export const CLAIMS = {
  name: 'Carla Maria Certified',
  given_name: 'Carla',
  family_name: 'Certified',
  middle_name: 'Maria',
  nickname: 'Carly',
  preferred_username: 'carla',
  profile: 'https://carla.example.com/about',
  picture: 'https://carla.example.com/me.png',
  website: 'https://carla.example.com/',
  gender: 'female',
  birthdate: '1987-10-16',
  zoneinfo: 'Europe/Berlin',
  locale: 'de-DE',
  updated_at: '1700000000',
  email: 'carla@example.com',
  email_verified: 'true',
  phone_number: '+49 30 901820',
  phone_number_verified: 'false',
  address: '{"street_address":"Unter den Linden 1","locality":"Berlin","postal_code":"10117","country":"DE"}',
}
