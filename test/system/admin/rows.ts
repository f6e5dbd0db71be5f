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
  read_server: { path: '/server' },
}
