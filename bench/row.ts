// A row of a measurement: an operation, its settings, and the servers it is measured at.

/** What one user of the load does, again and again. */
export type OperationName =
  | 'token'
  | 'bound-token'
  | 'assertion'
  | 'exchange'
  | 'introspection'
  | 'signed-introspection'
  | 'resource'
  | 'discovery'
  | 'session'
  | 'pushed-session'
  | 'refresh'
  | 'revocation'
  | 'device-poll'
  | 'sign-in'

/** How the servers of a row are configured. */
export interface Settings {
  /** How the client authenticates: client_secret_basic, client_secret_post or private_key_jwt. */
  auth: 'basic' | 'post' | 'private_key_jwt'
  /** Whether access tokens are bound to keys by DPoP. */
  dpop?: true
  /** The format and the signature algorithm of access tokens. */
  format: 'opaque' | 'jwt'
  alg: 'ES256' | 'EdDSA' | 'RS256'
  /** The signature algorithm of id_tokens. */
  id_alg: 'ES256' | 'RS256'
}

/** Which server, and where it stores. */
export type CandidateName =
  | 'floor+'
  | 'guarded'
  | 'peer'
  | 'peer, memory'
  | 'redmint'
  | 'redmint, memory'
  | 'redmint, Cluster'
  | 'redmint, audit'
  | 'redmint, audit and traces'
  | 'redmint, 2 workers'
  | 'redmint, 3 workers'

/** A quotient that redmint shall not exceed: its CPU to that of another candidate, or of its own in another row. */
export interface Goal {
  ratio: number
  to: CandidateName | { row: string }
  /** Whose figure is judged; redmint by default. */
  of?: CandidateName
  /** Only the main thread counts: without the password hash, which runs in other threads. */
  main_thread?: true
}

export interface Row extends Settings {
  name: string
  title: string
  operation: OperationName
  candidates: readonly CandidateName[]
  goal?: Goal
  /** Users at once, if not CONNECTIONS. */
  connections?: number
  /** So many times as long as other rows are its rounds: its operations are slow. */
  longer?: number
  /** Part of the short run, `npm run bench`. */
  short?: true
}

const CONNECTIONS = 32

/** How many users load a server of the row at once, each on a connection of its own. */
export const connectionsOf = ({ connections = CONNECTIONS }: Row) => connections

const DEFAULTS: Settings = { auth: 'basic', format: 'opaque', alg: 'ES256', id_alg: 'ES256' }

/** Makes a row, with the usual settings where it names no others. */
export const row = (row: Omit<Row, keyof Settings> & Partial<Settings>): Row => ({ ...DEFAULTS, ...row })

/** The number of processes that answer requests. */
export const workersOf = (server: CandidateName | 'foreign') => Number(/(\d) workers/.exec(server)?.[1] ?? 1)
