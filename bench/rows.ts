// What is measured: one row for each operation, with the servers it is measured at.
import { type Goal, type Row, row } from './row.ts'

const ALL = ['floor+', 'peer', 'redmint'] as const
const ALL_AND_GUARDED = ['floor+', 'guarded', 'peer', 'redmint'] as const
const WITHOUT_PEER = ['floor+', 'guarded', 'redmint'] as const
const OBSERVED = ['redmint', 'redmint, audit', 'redmint, audit and traces'] as const
const WITH_PEER = ['peer', 'redmint'] as const

const to = (ratio: number, to: Goal['to'] = 'floor+', rest: Omit<Goal, 'ratio' | 'to'> = {}): Goal => ({
  ratio,
  to,
  ...rest,
})

/** The rows of a whole run, in the order of the table. */
export const ROWS: readonly Row[] = [
  row({
    name: 'cc-basic',
    title: 'client credentials, opaque, Basic',
    operation: 'token',
    candidates: ALL_AND_GUARDED,
    goal: to(1.2),
    short: true,
  }),
  row({
    name: 'cc-one',
    title: 'client credentials, opaque, Basic, one connection',
    operation: 'token',
    connections: 1,
    candidates: WITHOUT_PEER,
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
    candidates: ALL_AND_GUARDED,
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
    name: 'cc-resource',
    title: 'client credentials for a resource, opaque, Basic',
    operation: 'bound-token',
    candidates: ['redmint'],
  }),
  row({
    name: 'assertion',
    title: 'assertion grant, opaque, assertion ES256',
    operation: 'assertion',
    candidates: ['redmint'],
  }),
  row({
    name: 'cc-private-key',
    title: 'client credentials, opaque, private_key_jwt ES256',
    operation: 'token',
    auth: 'private_key_jwt',
    candidates: WITH_PEER,
  }),
  row({
    name: 'cc-private-key-es256',
    title: 'client credentials, JWT ES256, private_key_jwt ES256',
    operation: 'token',
    auth: 'private_key_jwt',
    format: 'jwt',
    candidates: WITH_PEER,
  }),
  row({
    name: 'cc-dpop',
    title: 'client credentials, opaque, Basic, DPoP ES256',
    operation: 'token',
    dpop: true,
    candidates: WITH_PEER,
  }),
  row({
    name: 'introspection',
    title: 'introspection, opaque',
    operation: 'introspection',
    candidates: ALL_AND_GUARDED,
    goal: to(1.25),
    short: true,
  }),
  row({
    name: 'introspection-one',
    title: 'introspection, opaque, one connection',
    operation: 'introspection',
    connections: 1,
    candidates: WITHOUT_PEER,
  }),
  row({
    name: 'introspection-signed',
    title: 'introspection, opaque, answer signed ES256',
    operation: 'signed-introspection',
    candidates: WITH_PEER,
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
  row({
    name: 'resource-dpop',
    title: '`/api/resource`, opaque, DPoP ES256',
    operation: 'resource',
    dpop: true,
    candidates: ['redmint'],
  }),
  row({
    name: 'resource-dpop-es256',
    title: '`/api/resource`, JWT ES256, DPoP ES256',
    operation: 'resource',
    format: 'jwt',
    dpop: true,
    candidates: ['redmint'],
  }),
  row({
    name: 'discovery',
    title: 'discovery',
    operation: 'discovery',
    candidates: ALL_AND_GUARDED,
    goal: to(1.1),
  }),
  row({
    name: 'session-es256',
    title: 'code flow with a session, id_token ES256',
    operation: 'session',
    candidates: ALL_AND_GUARDED,
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
    name: 'session-pushed',
    title: 'code flow with a session, pushed, id_token ES256',
    operation: 'pushed-session',
    candidates: WITH_PEER,
  }),
  row({
    name: 'refresh-es256',
    title: 'refresh, id_token ES256 (the floor signs none)',
    operation: 'refresh',
    candidates: ALL_AND_GUARDED,
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
    candidates: ALL_AND_GUARDED,
    goal: to(1.2),
  }),
  row({
    name: 'device-poll',
    title: 'poll of a device, no answer yet',
    operation: 'device-poll',
    candidates: ['redmint'],
  }),
  row({
    name: 'sign-in',
    title: 'code flow with sign-in (the peer hashes no password)',
    operation: 'sign-in',
    connections: 8,
    longer: 3,
    candidates: ALL_AND_GUARDED,
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
  row({
    name: 'cc-observed',
    title: 'client credentials, opaque, with the audit trail, and traces of one request in ten',
    operation: 'token',
    candidates: OBSERVED,
    goal: to(1.05, 'redmint', { of: 'redmint, audit' }),
  }),
  row({
    name: 'session-observed',
    title: 'code flow with a session, with the audit trail, and traces of one request in ten',
    operation: 'session',
    candidates: OBSERVED,
  }),
]

/**
 * Rows that are measured by name alone: no whole run has them, and so no page. There is nothing to measure them beside: the
 * peer leaves the exchange of tokens to whoever runs it, and the floor has none.
 */
const ALONE: readonly Row[] = [
  row({
    name: 'exchange',
    title: 'token exchange for a resource, opaque, Basic',
    operation: 'exchange',
    candidates: ['redmint'],
  }),
  row({
    name: 'exchange-es256',
    title: 'token exchange for a resource, JWT ES256, Basic',
    operation: 'exchange',
    format: 'jwt',
    candidates: ['redmint'],
  }),
]

/** Every row that can be measured by name. */
export const NAMED: readonly Row[] = [...ROWS, ...ALONE]
