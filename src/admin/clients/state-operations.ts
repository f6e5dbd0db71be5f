import { Type } from '@sinclair/typebox'
import type { Hash } from '../../core/record-hash.ts'
import { rightsOfClient } from '../holders.ts'
import { differenceOf, type FieldDifference } from '../operation/difference.ts'
import { byName, operation } from '../operation/operation.ts'
import { shownFields } from '../operation/record-type.ts'
import { assertVersion } from '../operation/version.ts'
import { CLIENT_ID } from './given.ts'
import { CLIENTS, readClient } from './record-type.ts'
import { removeClient, setDisabled } from './state.ts'

const WRITE = 'redmint:clients:write'
const path = '/clients/:client_id'

const EndedAnswer = Type.Object(
  {
    ended: Type.Object({
      grants: Type.Integer({ description: 'Sign-ins of applications, with all their tokens' }),
    }),
  },
  {
    description:
      'About how many were ended: all of them, and the tokens of the client, are refused within a second',
  },
)

const remove = operation({
  name: 'delete_client',
  summary: 'End all that a client has, and remove it',
  method: 'DELETE',
  path,
  scope: WRITE,
  params: CLIENT_ID,
  answer: EndedAnswer,
  needs: { version: true, dry_run: true },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, version, dry_run }) {
    const stored = await readClient(context.storage, client_id)
    assertVersion(stored, version)
    if (dry_run) return { difference: differenceOfClient(stored, {}), stored }
    const ended = await removeClient(context, client_id, { expected: stored, whole: true })
    return { body: { ended } }
  },
})

const StateAnswer = Type.Object({ client_id: Type.String(), disabled: Type.Boolean() })

const disable = operation({
  name: 'disable_client',
  summary: 'Disable a client: it cannot authenticate, and its tokens are refused',
  method: 'POST',
  path: `${path}/disable`,
  scope: WRITE,
  params: CLIENT_ID,
  answer: StateAnswer,
  needs: { version: 'if_given' },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, version }) {
    const stored = await setDisabled(context, client_id, true, version)
    return { body: { client_id, disabled: true }, ...(stored && { stored }) }
  },
})

const enable = operation({
  name: 'enable_client',
  summary: 'Enable a client; its tokens that have not expired are valid again',
  method: 'POST',
  path: `${path}/enable`,
  scope: WRITE,
  params: CLIENT_ID,
  answer: StateAnswer,
  needs: { version: 'if_given' },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, version }) {
    const stored = await setDisabled(context, client_id, false, version)
    return { body: { client_id, disabled: false }, ...(stored && { stored }) }
  },
})

/** Returns what differs between two states of a client. */
export function differenceOfClient(former: Hash, present: Hash): FieldDifference[] {
  return differenceOf(CLIENTS.table, shownFields(CLIENTS), former, present)
}

/** What operators do to end a client, for now or for good. */
export const STATE_OPERATIONS = byName(remove, disable, enable)
