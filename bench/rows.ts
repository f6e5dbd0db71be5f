// What is measured: one row for each operation, with the servers it is measured at.
import { type Goal, type Row, row } from './row.ts'

const ALL = ['floor+', 'peer', 'redmint'] as const
const WITHOUT_PEER = ['floor+', 'redmint'] as const

const to = (ratio: number, to: Goal['to'] = 'floor+', rest: Omit<Goal, 'ratio' | 'to'> = {}): Goal => ({
  ratio,
  to,
  ...rest,
})

/** Every row, in the order of the table. */
export const ROWS: readonly Row[] = [
  row({
    name: 'cc-basic',
    title: 'client credentials, opaque, Basic',
    operation: 'token',
    candidates: ALL,
    goal: to(1.2),
    short: true,
  }),
  row({
    name: 'cc-post',
    title: 'client credentials, opaque, secret in the body',
    operation: 'token',
    auth: 'post',
    candidates: ALL,
    goal: to(1.2),
  }),
  row({
    name: 'cc-es256',
    title: 'client credentials, JWT ES256',
    operation: 'token',
    format: 'jwt',
    candidates: ALL,
    goal: to(1.2),
    short: true,
  }),
  row({
    name: 'cc-eddsa',
    title: 'client credentials, JWT EdDSA',
    operation: 'token',
    format: 'jwt',
    alg: 'EdDSA',
    candidates: ALL,
    goal: to(1.2),
  }),
  row({
    name: 'cc-rs256',
    title: 'client credentials, JWT RS256',
    operation: 'token',
    format: 'jwt',
    alg: 'RS256',
    candidates: ALL,
    goal: to(1.05),
  }),
  row({
    name: 'introspection',
    title: 'introspection, opaque',
    operation: 'introspection',
    candidates: ALL,
    goal: to(1.25),
    short: true,
  }),
  row({
    name: 'resource',
    title: '`/api/resource`, opaque',
    operation: 'resource',
    candidates: WITHOUT_PEER,
    goal: to(1.3),
    short: true,
  }),
  row({
    name: 'resource-es256',
    title: '`/api/resource`, JWT ES256',
    operation: 'resource',
    format: 'jwt',
    candidates: ['redmint'],
    goal: to(1.5, { row: 'resource' }),
  }),
  row({ name: 'discovery', title: 'discovery', operation: 'discovery', candidates: ALL, goal: to(1.1) }),
  row({
    name: 'session-es256',
    title: 'code flow with a session, id_token ES256',
    operation: 'session',
    candidates: ALL,
    goal: to(1.3),
    short: true,
  }),
  row({
    name: 'session-rs256',
    title: 'code flow with a session, id_token RS256',
    operation: 'session',
    id_alg: 'RS256',
    candidates: ALL,
  }),
  row({
    name: 'refresh-es256',
    title: 'refresh, id_token ES256 (the floor signs none)',
    operation: 'refresh',
    candidates: ALL,
    goal: to(1.5),
    short: true,
  }),
  row({
    name: 'refresh-rs256',
    title: 'refresh, id_token RS256 (the floor signs none)',
    operation: 'refresh',
    id_alg: 'RS256',
    candidates: ALL,
  }),
  row({
    name: 'revocation',
    title: 'revoke (issue and revoke)',
    operation: 'revocation',
    candidates: ALL,
    goal: to(1.2),
  }),
  row({
    name: 'sign-in',
    title: 'code flow with sign-in (the peer hashes no password)',
    operation: 'sign-in',
    connections: 8,
    candidates: ALL,
    goal: to(2, 'floor+', { main_thread: true }),
  }),
  row({
    name: 'memory',
    title: 'memory: client credentials, opaque',
    operation: 'token',
    candidates: ['peer, memory', 'redmint, memory', 'redmint'],
    goal: to(1, 'redmint', { of: 'redmint, memory' }),
  }),
  row({
    name: 'memory-es256',
    title: 'memory: client credentials, JWT ES256',
    operation: 'token',
    format: 'jwt',
    candidates: ['peer, memory', 'redmint, memory', 'redmint'],
  }),
  row({
    name: 'cluster',
    title: 'client credentials, opaque, on a Cluster of three masters',
    operation: 'token',
    candidates: ['redmint', 'redmint, Cluster'],
    goal: to(1.15, 'redmint', { of: 'redmint, Cluster' }),
  }),
]
