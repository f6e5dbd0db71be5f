// What the generated table sends for each operation of the admin API.

/** How an operation is called, so that it succeeds once the records of the stage are there. */
export interface Row {
  /** The path below that of the API. */
  readonly path: string
  readonly body?: unknown
  /** Another body that is valid, too, for operations that create something. */
  readonly other_body?: unknown
}

/** By the names of the operations. */
export const ROWS: Readonly<Record<string, Row>> = {
  list_users: { path: '/users' },
  create_user: { path: '/users', body: { username: 'new' }, other_body: { username: 'newer' } },
  create_users: {
    path: '/users/bulk',
    body: { items: [{ username: 'new' }] },
    other_body: { items: [{ username: 'newer' }] },
  },
  read_user: { path: '/users/alice' },
  change_user: { path: '/users/alice', body: { claims: { nickname: 'al' } } },
  delete_user: { path: '/users/alice' },
  disable_user: { path: '/users/alice/disable' },
  enable_user: { path: '/users/alice/enable' },
  end_user: { path: '/users/alice/end' },
  list_sessions: { path: '/users/alice/sessions' },
  end_session: { path: '/users/alice/sessions/a-session' },
  end_sessions: { path: '/users/alice/sessions' },
  end_all_sessions: { path: '/sessions?confirm=all-sessions' },
  list_grants_of_user: { path: '/users/alice/grants' },
  end_grant_of_user: { path: '/users/alice/grants/grant-of-alice-1' },
  end_grants_of_user: { path: '/users/alice/grants' },
  list_grants_of_client: { path: '/clients/planted/grants' },
  end_grant_of_client: { path: '/clients/planted/grants/grant-of-alice-1' },
  end_grants_of_client: { path: '/clients/planted/grants' },
  list_consents: { path: '/users/alice/consents' },
  withdraw_consent: { path: '/users/alice/consents/planted' },
  withdraw_consents: { path: '/users/alice/consents' },
  read_server: { path: '/server' },
}
