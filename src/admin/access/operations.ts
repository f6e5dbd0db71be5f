import { Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { rightsOfClient, rightsOfEverybody, rightsOfGrant, rightsOfUser } from '../holders.ts'
import { pageSchema } from '../operation/list.ts'
import { byName, onlyWithConsole, operation } from '../operation/operation.ts'
import { USERNAME } from '../users/record-type.ts'
import { ConsentAnswer, listConsents, withdrawConsent, withdrawConsentsOf } from './consents.ts'
import { endGrantsOf, endOneGrant, listGrants, ShownGrant } from './grants.ts'
import { listNewestSessions, NewestSessionAnswer, SESSION_FILTER } from './newest-sessions.ts'
import { EndedCount } from './page.ts'
import { endAllSessions, endOneSession, endSessionsOf, listSessions, SessionAnswer } from './sessions.ts'

const READ_USERS = 'redmint:users:read'
const WRITE_USERS = 'redmint:users:write'
const READ_CLIENTS = 'redmint:clients:read'
const WRITE_CLIENTS = 'redmint:clients:write'

const Name = Type.String({ minLength: 1, maxLength: 255 })
const OF_USER = USERNAME
/** The client that an operation is about. */
export const OF_CLIENT = Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 2048 }) })
const ONE_SESSION = Type.Object({ username: Name, sid: Name })
/** The id of a grant. */
export const GRANT = Type.String({ pattern: '^[A-Za-z0-9_-]{16}$' })
const GRANT_OF_USER = Type.Object({ username: Name, grant: GRANT })
const GRANT_OF_CLIENT = Type.Object({ ...OF_CLIENT.properties, grant: GRANT })
const CONSENT_OF_USER = Type.Object({ username: Name, ...OF_CLIENT.properties })

/** What operators see and end of sessions, grants and consents. */
export const ACCESS_OPERATIONS = byName(
  operation({
    name: 'list_sessions',
    summary: 'List where a user is signed in',
    method: 'GET',
    path: '/users/:username/sessions',
    scope: READ_USERS,
    params: OF_USER,
    answer: pageSchema(SessionAnswer),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listSessions(context, nameForm(params.username), { cursor, limit }),
      shows: nameForm(params.username),
    }),
  }),
  operation({
    name: 'list_newest_sessions',
    summary:
      'List the newest sessions of everybody: of the last 1000 that started with CONSOLE=on, those that go on',
    method: 'GET',
    path: '/sessions',
    scope: READ_USERS,
    query: SESSION_FILTER,
    answer: pageSchema(NewestSessionAnswer),
    needs: { page: true },
    refusal: onlyWithConsole('The list of the newest sessions is kept'),
    async run(context, { query, cursor, limit }) {
      const body = await listNewestSessions(context, query, { cursor, limit })
      const is_of_one = query.username !== undefined || query.sid !== undefined
      return { body, ...(is_of_one && { shows: body.items[0]?.username }) }
    },
  }),
  operation({
    name: 'end_session',
    summary: 'End a session with its tokens; its clients are told',
    method: 'DELETE',
    path: '/users/:username/sessions/:sid',
    scope: WRITE_USERS,
    params: ONE_SESSION,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({
      body: await endOneSession(context, nameForm(params.username), params.sid),
    }),
  }),
  operation({
    name: 'end_sessions',
    summary: 'End all sessions of a user with their tokens',
    method: 'DELETE',
    path: '/users/:username/sessions',
    scope: WRITE_USERS,
    params: OF_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({ body: await endSessionsOf(context, nameForm(params.username)) }),
  }),
  operation({
    name: 'end_all_sessions',
    summary: 'End all sessions of all users with their tokens',
    method: 'DELETE',
    path: '/sessions',
    scope: WRITE_USERS,
    query: Type.Object({ confirm: Type.Literal('all-sessions') }),
    answer: Type.Object({}, { description: 'They are refused within a second' }),
    rights: rightsOfEverybody,
    async run(context) {
      await endAllSessions(context)
      return { body: {} }
    },
  }),
  operation({
    name: 'list_grants_of_user',
    summary: 'List what applications may do for a user',
    method: 'GET',
    path: '/users/:username/grants',
    scope: READ_USERS,
    params: OF_USER,
    answer: pageSchema(ShownGrant),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listGrants(context, { username: nameForm(params.username) }, { cursor, limit }),
      shows: nameForm(params.username),
    }),
  }),
  operation({
    name: 'end_grant_of_user',
    summary: 'End a grant with its tokens',
    method: 'DELETE',
    path: '/users/:username/grants/:grant',
    scope: WRITE_USERS,
    params: GRANT_OF_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfGrant(context, params),
    run: async (context, { params }) => ({
      body: await endOneGrant(context, { username: nameForm(params.username) }, params.grant),
    }),
  }),
  operation({
    name: 'end_grants_of_user',
    summary: 'End all grants of a user with their tokens',
    method: 'DELETE',
    path: '/users/:username/grants',
    scope: WRITE_USERS,
    params: OF_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({
      body: await endGrantsOf(context, { username: nameForm(params.username) }),
    }),
  }),
  operation({
    name: 'list_grants_of_client',
    summary: 'List for whom an application may do what',
    method: 'GET',
    path: '/clients/:client_id/grants',
    scope: READ_CLIENTS,
    params: OF_CLIENT,
    answer: pageSchema(ShownGrant),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listGrants(context, { client_id: params.client_id }, { cursor, limit }),
    }),
  }),
  operation({
    name: 'end_grant_of_client',
    summary: 'End a grant of a client with its tokens',
    method: 'DELETE',
    path: '/clients/:client_id/grants/:grant',
    scope: WRITE_CLIENTS,
    params: GRANT_OF_CLIENT,
    answer: EndedCount,
    rights: async (context, { params }) => [
      ...(await rightsOfClient(context, params)),
      ...(await rightsOfGrant(context, params)),
    ],
    run: async (context, { params }) => ({
      body: await endOneGrant(context, { client_id: params.client_id }, params.grant),
    }),
  }),
  operation({
    name: 'end_grants_of_client',
    summary: 'End all grants of a client with their tokens',
    method: 'DELETE',
    path: '/clients/:client_id/grants',
    scope: WRITE_CLIENTS,
    params: OF_CLIENT,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfClient(context, params),
    run: async (context, { params }) => ({
      body: await endGrantsOf(context, { client_id: params.client_id }),
    }),
  }),
  operation({
    name: 'end_grant',
    summary: 'End a grant with its tokens, whoever has it',
    method: 'DELETE',
    path: '/grants/:grant',
    scope: 'redmint:tokens:write',
    params: Type.Object({ grant: GRANT }),
    answer: EndedCount,
    rights: (context, { params }) => rightsOfGrant(context, params),
    run: async (context, { params }) => ({ body: await endOneGrant(context, {}, params.grant) }),
  }),
  operation({
    name: 'list_consents',
    summary: 'List what a user allowed applications',
    method: 'GET',
    path: '/users/:username/consents',
    scope: READ_USERS,
    params: OF_USER,
    answer: pageSchema(ConsentAnswer),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listConsents(context, nameForm(params.username), { cursor, limit }),
      shows: nameForm(params.username),
    }),
  }),
  operation({
    name: 'withdraw_consent',
    summary: 'Withdraw a consent: the user is asked again, and tokens stay',
    method: 'DELETE',
    path: '/users/:username/consents/:client_id',
    scope: WRITE_USERS,
    params: CONSENT_OF_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({
      body: await withdrawConsent(context, nameForm(params.username), params.client_id),
    }),
  }),
  operation({
    name: 'withdraw_consents',
    summary: 'Withdraw all consents of a user',
    method: 'DELETE',
    path: '/users/:username/consents',
    scope: WRITE_USERS,
    params: OF_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({
      body: await withdrawConsentsOf(context, nameForm(params.username)),
    }),
  }),
)
