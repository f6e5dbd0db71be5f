import { Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { rightsOfGrant, rightsOfUser } from '../holders.ts'
import { pageSchema } from '../operation/list.ts'
import { byName, operation } from '../operation/operation.ts'
import { USERNAME } from '../users/record-type.ts'
import { endActingOfGrant, endActingOfUser, GrantWithActing, listActing, readGrant } from './acting.ts'
import { GRANT, OF_CLIENT } from './operations.ts'
import { EndedCount } from './page.ts'

const ACTING_FOR_USER = Type.Object({ ...USERNAME.properties, ...OF_CLIENT.properties })
const ACTING_IN_GRANT = Type.Object({ grant: GRANT, ...OF_CLIENT.properties })

/** What operators see and end of clients that act for users by exchanged tokens. */
export const ACTING_OPERATIONS = byName(
  operation({
    name: 'read_grant',
    summary: 'What an application may do for a user, and who has tokens by exchange for it',
    method: 'GET',
    path: '/grants/:grant',
    scope: 'redmint:tokens:read',
    params: Type.Object({ grant: GRANT }),
    answer: GrantWithActing,
    async run(context, { params }) {
      const body = await readGrant(context, params.grant)
      return { body, shows: body.username }
    },
  }),
  operation({
    name: 'list_acting_for_user',
    summary: 'List who acts for a user by exchanged tokens, by sign-ins that have such tokens',
    method: 'GET',
    path: '/users/:username/acting',
    scope: 'redmint:users:read',
    params: USERNAME,
    answer: pageSchema(GrantWithActing),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listActing(context, { username: nameForm(params.username) }, { cursor, limit }),
      shows: nameForm(params.username),
    }),
  }),
  operation({
    name: 'list_acting_from_client',
    summary: 'List who acts for users by tokens that began at a client, by sign-ins that have such tokens',
    method: 'GET',
    path: '/clients/:client_id/acting',
    scope: 'redmint:clients:read',
    params: OF_CLIENT,
    answer: pageSchema(GrantWithActing),
    needs: { page: true },
    run: async (context, { params, cursor, limit }) => ({
      body: await listActing(context, { client_id: params.client_id }, { cursor, limit }),
    }),
  }),
  operation({
    name: 'end_acting_in_grant',
    summary: 'End what a client does for others in one sign-in: it gets no further token of it by exchange',
    method: 'DELETE',
    path: '/grants/:grant/acting/:client_id',
    scope: 'redmint:tokens:write',
    params: ACTING_IN_GRANT,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfGrant(context, params),
    run: async (context, { params }) => ({
      body: await endActingOfGrant(context, params.grant, params.client_id),
    }),
  }),
  operation({
    name: 'end_acting_for_user',
    summary: 'End what a client does for others in all sign-ins of a user, until the user signs in anew',
    method: 'DELETE',
    path: '/users/:username/acting/:client_id',
    scope: 'redmint:users:write',
    params: ACTING_FOR_USER,
    answer: EndedCount,
    rights: (context, { params }) => rightsOfUser(context, params),
    run: async (context, { params }) => ({
      body: await endActingOfUser(context, nameForm(params.username), params.client_id),
    }),
  }),
)
