// What the generated table sends for each operation of the admin API.

import type { ProblemCode } from '../../../src/admin/operation/problem.ts'

/** How an operation is called, so that it succeeds once the records of the stage are there. */
export interface Row {
  /** The path below that of the API. */
  readonly path: string
  readonly body?: unknown
  /** Another body that is valid, too, for operations that create something. */
  readonly other_body?: unknown
  /** Whether only who may do everything may do it, because it can give every right. */
  readonly for_all?: true
  /** The problem that is the answer on the stage, always or the second time; absent: it succeeds. */
  readonly refused?: ProblemCode
}

const RESOURCE_PATH = `/resources/${encodeURIComponent('https://api.example.com')}`
/** A type of details. */
export const DETAIL_TYPE = { schema: '{"type":"object","properties":{}}', text: { en: 'Anything' } }
const ISSUER_PATH = `/issuers/${encodeURIComponent('https://idp.example.com')}`

const APPLICATION_PATH = `/applications/${encodeURIComponent('https://other.example.com')}`
const APPLICATION = { clients: ['planted'], resources: ['https://api.other.example.com'] }

/** The redirect URI of the preview that there is. */
export const PREVIEW_URI = 'https://pr-1.preview.example.com/callback'

const PROVIDER_PATH = '/providers/acme'

/** By the names of the operations. */
export const ROWS: Readonly<Record<string, Row>> = {
  read_explanation: { path: '/explanations/none', refused: 'not_found' },
  list_explanations: { path: '/explanations' },
  explain_connection: { path: '/explanations/trail?client_id=planted' },
  what_if_exchange: {
    path: '/explanations/what-if-exchange',
    body: {
      username: 'alice',
      client_id: 'planted',
      of_client: 'planted',
      resource: 'https://api.example.com',
    },
  },
  what_if: { path: '/explanations/what-if', body: { username: 'alice', client_id: 'planted' } },
  list_users: { path: '/users' },
  create_user: { path: '/users', body: { username: 'new' }, other_body: { username: 'newer' } },
  create_users: {
    path: '/users/bulk',
    body: { items: [{ username: 'new' }] },
    other_body: { items: [{ username: 'newer' }] },
  },
  read_user: { path: '/users/alice' },
  replace_user: { path: '/users/alice', body: { claims: { nickname: 'al' } } },
  change_user: { path: '/users/alice', body: { claims: { nickname: 'al' } } },
  delete_user: { path: '/users/alice' },
  disable_user: { path: '/users/alice/disable' },
  enable_user: { path: '/users/alice/enable' },
  end_user: { path: '/users/alice/end' },
  create_reset_link: { path: '/users/alice/reset-link' },
  act_as_user: {
    path: '/users/alice/act-as',
    body: { client_id: 'planted', resource: 'https://api.example.com', reason: 'a test' },
    // Behind a client there is nobody.
    refused: 'conflict',
  },
  list_user_invitations: { path: '/invitations' },
  create_user_invitation: { path: '/invitations', body: { uses: 2 }, other_body: { uses: 3 } },
  delete_user_invitation: { path: `/invitations/${'i'.repeat(16)}` },
  unlock_user: { path: '/users/alice/unlock' },
  read_factors: { path: '/users/alice/factors' },
  reset_factors: { path: '/users/alice/factors?only=totp' },
  list_clients: { path: '/clients' },
  create_client: {
    path: '/clients',
    body: { client_id: 'new-client' },
    other_body: { client_id: 'newer-client' },
  },
  create_clients: {
    path: '/clients/bulk',
    body: { items: [{ client_id: 'new-client' }] },
    other_body: { items: [{ client_id: 'newer-client' }] },
  },
  read_client: { path: '/clients/planted' },
  replace_client: {
    path: '/clients/planted',
    body: { client_name: 'Other', grant_types: ['client_credentials'] },
  },
  change_client: { path: '/clients/planted', body: { client_name: 'Other' } },
  delete_client: { path: '/clients/planted' },
  disable_client: { path: '/clients/planted/disable' },
  enable_client: { path: '/clients/planted/enable' },
  rotate_client_secret: {
    path: '/clients/planted/secrets',
    body: { keep_old_for: 60 },
    other_body: { keep_old_for: 61 },
  },
  end_old_client_secret: { path: '/clients/planted/secrets/old' },
  // Who may not write clients is named by the client.
  make_preview: {
    path: '/clients/planted/previews',
    body: { redirect_uri: 'https://pr-12.preview.example.com/callback', lives: 600 },
    refused: 'lacks_right',
  },
  list_previews: { path: '/clients/planted/previews' },
  end_preview: {
    path: `/clients/planted/previews?redirect_uri=${encodeURIComponent(PREVIEW_URI)}`,
    refused: 'lacks_right',
  },
  lint_client: { path: '/clients/planted/lint' },
  lint_clients: { path: '/lint/clients' },
  lint_users: { path: '/lint/users' },
  lint_resources: { path: '/lint/resources' },
  lint_detail_types: { path: '/lint/detail-types' },
  lint_applications: { path: '/lint/applications' },
  lint_issuers: { path: '/lint/issuers' },
  lint_providers: { path: '/lint/providers' },
  read_client_keys: { path: '/clients/planted/keys', refused: 'conflict' },
  refresh_client_keys: { path: '/clients/planted/keys/refresh', refused: 'conflict' },
  client_settings: { path: '/clients/planted/settings?for=express' },
  list_invitations: { path: '/registration-invitations' },
  create_invitation: { path: '/registration-invitations', body: { uses: 1 }, other_body: { uses: 2 } },
  delete_invitation: { path: `/registration-invitations/${'i'.repeat(16)}` },
  list_resources: { path: '/resources' },
  create_resource: {
    path: '/resources',
    body: { resource: 'https://new.example.com', scopes: ['a'] },
    other_body: { resource: 'https://newer.example.com', scopes: ['a'] },
  },
  read_resource: { path: RESOURCE_PATH },
  replace_resource: { path: RESOURCE_PATH, body: { scopes: ['b'] } },
  change_resource: { path: RESOURCE_PATH, body: { scopes: ['b'] } },
  delete_resource: { path: RESOURCE_PATH },
  list_detail_types: { path: '/detail-types' },
  create_detail_type: {
    path: '/detail-types',
    body: { detail_type: 'new', ...DETAIL_TYPE },
    other_body: { detail_type: 'newer', ...DETAIL_TYPE },
  },
  read_detail_type: { path: '/detail-types/payment' },
  replace_detail_type: { path: '/detail-types/payment', body: { ...DETAIL_TYPE, remember: true } },
  change_detail_type: { path: '/detail-types/payment', body: { remember: true } },
  delete_detail_type: { path: '/detail-types/payment' },
  list_applications: { path: '/applications' },
  create_application: {
    path: '/applications',
    body: { application: 'https://new.example.com', ...APPLICATION },
    other_body: { application: 'https://newer.example.com', ...APPLICATION },
    for_all: true,
  },
  read_application: { path: APPLICATION_PATH },
  replace_application: { path: APPLICATION_PATH, body: { ...APPLICATION, scopes: ['a'] }, for_all: true },
  change_application: { path: APPLICATION_PATH, body: { scopes: ['a'] } },
  delete_application: { path: APPLICATION_PATH },
  list_issuers: { path: '/issuers' },
  create_issuer: {
    path: '/issuers',
    body: { issuer: 'https://new.example.com', jwks_uri: 'https://new.example.com/jwks' },
    other_body: { issuer: 'https://newer.example.com', jwks_uri: 'https://newer.example.com/jwks' },
    for_all: true,
  },
  read_issuer: { path: ISSUER_PATH },
  replace_issuer: {
    path: ISSUER_PATH,
    body: { jwks_uri: 'https://idp.example.com/other' },
    for_all: true,
  },
  change_issuer: { path: ISSUER_PATH, body: { jwks_uri: 'https://idp.example.com/other' } },
  delete_issuer: { path: ISSUER_PATH },
  list_providers: { path: '/providers' },
  list_groups: { path: '/groups', refused: 'conflict' },
  list_provider_uses: { path: '/provider-uses', refused: 'conflict' },
  create_provider: {
    path: '/providers',
    body: { provider: 'fresh', issuer: 'https://new.example.com', client_id: 'x' },
    other_body: { provider: 'fresher', issuer: 'https://new.example.com', client_id: 'x' },
    for_all: true,
  },
  read_login: { path: '/logins/none', refused: 'not_found' },
  accept_login: { path: '/logins/none/accept', body: { sub: 'sub-of-alice' }, refused: 'not_found' },
  refuse_login: { path: '/logins/none/refuse', refused: 'not_found' },
  read_consent: { path: '/consents/none', refused: 'not_found' },
  accept_consent: { path: '/consents/none/accept', body: { scope: 'openid' }, refused: 'not_found' },
  refuse_consent: { path: '/consents/none/refuse', refused: 'not_found' },
  read_provider: { path: PROVIDER_PATH },
  replace_provider: {
    path: PROVIDER_PATH,
    body: { issuer: 'https://idp.example.com', client_id: 'y' },
    for_all: true,
  },
  change_provider: { path: PROVIDER_PATH, body: { client_id: 'y' } },
  delete_provider: { path: PROVIDER_PATH },
  set_provider_secret: {
    path: `${PROVIDER_PATH}/secret`,
    body: { client_secret: 'planted-secret' },
    for_all: true,
  },
  test_provider: { path: `${PROVIDER_PATH}/test`, for_all: true },
  inspect_token: { path: '/tokens/inspect', body: { token: 'unknown' } },
  revoke_token: { path: '/tokens/revoke', body: { token: 'unknown' }, refused: 'not_found' },
  list_keys: { path: '/keys' },
  rotate_keys: { path: '/keys/rotate', refused: 'conflict' },
  list_newest_sessions: { path: '/sessions', refused: 'conflict' },
  list_sessions: { path: '/users/alice/sessions' },
  end_session: { path: '/users/alice/sessions/a-session' },
  end_sessions: { path: '/users/alice/sessions' },
  end_all_sessions: { for_all: true, path: '/sessions?confirm=all-sessions' },
  list_grants_of_user: { path: '/users/alice/grants' },
  end_grant_of_user: { path: '/users/alice/grants/grant-of-alice-1' },
  end_grants_of_user: { path: '/users/alice/grants' },
  list_grants_of_client: { path: '/clients/planted/grants' },
  read_grant: { path: '/grants/grant-of-alice-1' },
  list_acting_for_user: { path: '/users/alice/acting' },
  list_acting_from_client: { path: '/clients/planted/acting' },
  end_acting_in_grant: { path: '/grants/grant-of-alice-1/acting/planted' },
  end_acting_for_user: { path: '/users/alice/acting/planted' },
  end_grant: { path: '/grants/grant-of-alice-1' },
  end_grant_of_client: { path: '/clients/planted/grants/grant-of-alice-1' },
  end_grants_of_client: { path: '/clients/planted/grants' },
  list_consents: { path: '/users/alice/consents' },
  withdraw_consent: { path: '/users/alice/consents/planted' },
  withdraw_consents: { path: '/users/alice/consents' },
  list_limits: { path: '/limits' },
  lift_limit: { path: '/limits/a-lockout' },
  read_server: { path: '/server' },
  doctor: { path: '/doctor' },
  test_directory: { path: '/server/directory/test', body: {}, refused: 'conflict' },
  read_day: { path: '/server/day', refused: 'conflict' },
  read_upkeep: { path: '/server/upkeep' },
  list_events: { path: '/events', refused: 'conflict' },
  verify_events: { path: '/events/verification', refused: 'conflict' },
  list_third_party_faults: { path: '/server/third-parties' },
  list_mails: { path: '/mails' },
  retry_mails: { path: '/mails/retry', body: {}, refused: 'conflict' },
  test_mail: { path: '/mails/test', body: { to: 'alice@example.com' }, refused: 'conflict' },
  list_streams: { path: '/streams' },
  read_stream: { path: '/streams/planted', refused: 'not_found' },
  resume_stream: { path: '/streams/planted/resume', refused: 'conflict' },
  delete_stream: { path: '/streams/planted', refused: 'not_found' },
  read_settings: { path: '/server/settings' },
}
