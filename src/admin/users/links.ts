import { type Static, Type } from '@sinclair/typebox'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Client } from '../../clients/record/client-record.ts'
import { startAddress } from '../../clients/start-address.ts'
import { hasOnlyPasskeys, hasPasskeys } from '../../config/passkey-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { hasOwnPage, hasPasswords } from '../../config/sign-in-ways.ts'
import { commit } from '../../core/commit.ts'
import { readEmail } from '../../core/email-address.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { nameForm } from '../../core/visible-text.ts'
import { languageOfUser, mailAddressOf } from '../../self-service/forgot-password.ts'
import {
  claimsOf,
  DEFAULT_INVITATION,
  giveInvitation,
  INVITING_SCOPE,
  invitingPerson,
  MAX_DAYS,
  MAX_USES,
  USER_INVITATION,
} from '../../self-service/invitation.ts'
import { giveResetLink } from '../../self-service/reset-password.ts'
import { recordOf } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { isNameTaken } from '../../users/name-taken.ts'
import { parseUser } from '../../users/user-record.ts'
import { rightsOfUser } from '../holders.ts'
import { demandSmtp, handOver } from '../mail/mails.ts'
import { DEFAULT_LIMIT, pageSchema } from '../operation/list.ts'
import { byName, operation } from '../operation/operation.ts'
import { AdminError, invalidFields, notFound } from '../operation/problem.ts'
import { readUser, USERNAME } from './record-type.ts'

const path = '/invitations'

const MAIL = Type.Optional(
  Type.Object(
    {
      sent: Type.Boolean({ description: 'Whether the SMTP server took it; else hand the link over' }),
      answer: Type.String({ description: 'What the SMTP server said, or why it said nothing' }),
    },
    { description: 'What became of the mail; absent: none was asked for' },
  ),
)

const ResetLink = Type.Object({
  username: Type.String(),
  url: Type.String({ description: 'The person opens it, and sets what `sets` says; it is shown once' }),
  sets: Type.Unsafe<'password' | 'passkey'>(
    Type.String({ enum: ['password', 'passkey'], description: '`passkey`: there are no passwords' }),
  ),
  expires_at: Type.String({ format: 'date-time' }),
  mail: MAIL,
})
type ResetLink = Static<typeof ResetLink>

const reset = operation({
  name: 'create_reset_link',
  summary: 'Make a link with which a user chooses a new password within an hour; older ones end',
  method: 'POST',
  path: '/users/:username/reset-link',
  scope: INVITING_SCOPE,
  params: USERNAME,
  query: Type.Object({
    send: Type.Optional(
      Type.Boolean({
        description:
          '`true`: the link is sent to the verified address of the user at once, which needs an SMTP server; default: `false`',
      }),
    ),
  }),
  answer: ResetLink,
  // What a link sets would be of no use.
  refusal: (settings) =>
    hasPasswords(settings) || hasOnlyPasskeys(settings)
      ? undefined
      : 'Nobody signs in here with a password of redmint: people get a new one where they have their account.',
  // Who has the link can become the user.
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, query: { send = false } }) {
    const username = nameForm(params.username)
    const stored = await readUser(context.storage, username)
    const to = send ? addressToSend(context.settings, username, stored) : undefined
    const given = await giveResetLink(context, username, context.report)
    if (given === undefined) {
      const detail = `The user "${username}" is disabled, or the record is malformed: nobody can sign in.`
      throw new AdminError('conflict', detail)
    }
    const expires_at = new Date(given.ends_at).toISOString()
    const sets: ResetLink['sets'] = hasOnlyPasskeys(context.settings) ? 'passkey' : 'password'
    const mail =
      to &&
      (await handOver(context.settings, to.address, { ...to.content, link: given.url, until: given.ends_at }))
    return { body: { username, url: given.url, sets, expires_at, ...(mail && { mail }) } }
  },
})

/**
 * Returns where the link of a user is sent to, and in which mail: before there is a link that nobody gets.
 * @throws AdminError `conflict` if there is no SMTP server, or no verified address
 */
function addressToSend(settings: Settings, username: string, stored: Hash) {
  demandSmtp(settings)
  const parsed = parseUser(username, stored)
  const address = parsed.ok ? mailAddressOf(parsed.record) : undefined
  if (!parsed.ok || address === undefined)
    throw new AdminError('conflict', `The user "${username}" has no verified address to send the link to.`)
  const again = hasOnlyPasskeys(settings) ? 'reset_passkey' : 'reset_password'
  // Nobody asked for the first one.
  const kind = stored.password_hash ? again : 'account_made'
  return {
    address,
    content: { kind, language: languageOfUser(parsed.record, 'en'), account: username },
  } as const
}

const common = {
  id: Type.String({ description: 'Names the invitation, and invites nobody' }),
  groups: Type.Array(Type.String(), { description: 'The groups of its people' }),
  email: Type.Optional(Type.String({ description: 'The address of the only person whom it is for' })),
  client: Type.Optional(Type.String({ description: 'The client that its people go on to' })),
}

const Shown = Type.Object({
  ...common,
  uses_left: Type.Integer(),
  created_at: Type.String(),
  expires_at: Type.String(),
  by: Type.String({ description: 'Who made it: `user alice`, `client console` or `command`' }),
})
type ShownInvitation = Static<typeof Shown>

const list = operation({
  name: 'list_user_invitations',
  summary: 'List the invitations with which people make an account',
  method: 'GET',
  path,
  scope: 'redmint:users:read',
  answer: pageSchema(Shown),
  needs: { page: true },
  async run({ storage }, { cursor, limit = DEFAULT_LIMIT }) {
    const wanted = { limit, ...(cursor !== undefined && { after: cursor }) }
    const { items, next } = await storage.records.page(USER_INVITATION, wanted)
    return { body: { items: items.flatMap(describe), ...(next !== undefined && { next }) } }
  },
})

const NewInvitation = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 254,
        description:
          'You vouch that it is the address of the person: it counts as verified. For one use only',
      }),
    ),
    groups: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 100,
        description: 'The claim that `GROUPS_CLAIM` names',
      }),
    ),
    client: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The client that its people go on to: at its `initiate_login_uri`, else at its `client_uri`; absent: they go to the account page',
      }),
    ),
    uses: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_USES, description: 'How many people; default: 1' }),
    ),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Default: 7' })),
    send: Type.Optional(
      Type.Boolean({
        description:
          '`true`: the link is sent to `email` at once, which needs an SMTP server; default: `false`',
      }),
    ),
    language: Type.Optional(
      Type.String({ maxLength: 35, description: 'Of the mail, such as `de`; default: `en`' }),
    ),
  },
  { additionalProperties: false },
)

const Invited = Type.Object({
  ...common,
  url: Type.String({ description: 'The person opens it, and makes an account; it is shown once' }),
  uses: Type.Integer(),
  expires_at: Type.String(),
  mail: MAIL,
})
export type Invited = Static<typeof Invited>

const create = operation({
  name: 'create_user_invitation',
  summary: 'Make an invitation with which people make an account, whatever else allows it; it is shown once',
  method: 'POST',
  path,
  scope: INVITING_SCOPE,
  body: NewInvitation,
  answer: Invited,
  needs: { creates: true },
  // An account that it makes would be of no use.
  refusal: (settings) =>
    hasPasswords(settings) || (hasOwnPage(settings) && hasPasskeys(settings))
      ? undefined
      : 'Nobody signs in here with what an invitation sets up: people sign in with the account that they have elsewhere.',
  async run(context, { body }) {
    const { storage, caller } = context
    const { email, send = false, language = 'en', ...wanted } = { ...DEFAULT_INVITATION, ...body }
    const to = email === undefined ? undefined : readEmail(email)
    const address = to?.text
    if (email !== undefined) {
      if (address === undefined)
        throw invalidFields([{ field: 'email', problem: 'is not an e-mail address' }])
      if (wanted.uses > 1)
        throw invalidFields([
          { field: 'uses', problem: 'must be 1 with an address: it is that of one person' },
        ])
      if (await isNameTaken(storage, address))
        throw new AdminError('exists', 'Somebody signs in with this address already.')
    }
    if (send) {
      if (to === undefined)
        throw invalidFields([{ field: 'send', problem: 'needs email: the address that the link goes to' }])
      // Before there is an invitation that nobody gets.
      demandSmtp(context.settings)
    }
    const onward = wanted.client === undefined ? undefined : await findStart(context, wanted.client)
    const for_whom = address === undefined ? {} : { email: address }
    const claims = claimsOf({ groups: wanted.groups, ...for_whom }, context.settings)
    const parsed = parseUser('somebody', { sub: 'somebody', ...claims })
    if (!parsed.ok) throw invalidFields(parsed.problems)
    const { kind, id } = caller
    const { groups, uses, client } = wanted
    const given = await giveInvitation(context, { ...wanted, ...for_whom, by: { kind, id } })
    const person = await invitingPerson(storage, { kind, id })
    const content = {
      ...({ kind: 'invitation', language, link: given.url } as const),
      until: Date.parse(given.expires_at),
      ...present({ inviter: person?.inviter, client: onward?.client_name }),
    }
    const mail = send && to ? await handOver(context.settings, to, content) : undefined
    return {
      body: {
        ...given,
        groups: [...groups],
        uses,
        ...for_whom,
        ...present({ client }),
        ...(mail && { mail }),
      },
    }
  },
})

/**
 * Returns a client that people can be led to.
 * @throws AdminError `invalid` if there is none that is enabled, or it says no address where one begins; StorageUnavailable
 */
async function findStart(
  { storage, settings }: { readonly storage: RecordStore; readonly settings: Pick<Settings, 'issuer'> },
  client_id: string,
): Promise<Client> {
  const client = recordOf(await storage.records.read(CLIENT, client_id))
  const refuse = (problem: string): never => {
    throw invalidFields([{ field: 'client', problem }])
  }
  if (client === undefined) return refuse('names no client')
  if (client.disabled) return refuse('names a client that is disabled')
  if (startAddress(client, settings.issuer) === undefined)
    return refuse(
      'names a client without initiate_login_uri and client_uri, so that nobody could go on there',
    )
  return client
}

const remove = operation({
  name: 'delete_user_invitation',
  summary: 'Remove an invitation; the accounts that it made stay',
  method: 'DELETE',
  path: `${path}/:id`,
  scope: INVITING_SCOPE,
  params: Type.Object({ id: Type.String({ pattern: '^[\\w-]{16}$' }) }),
  answer: Type.Object({ id: Type.String(), removed: Type.Boolean() }),
  async run(context, { params: { id } }) {
    const event = { event: 'user_invitation_removed', invitation: id } as const
    const removed = await commit(context, [event], {}, (told) =>
      context.storage.records.remove(USER_INVITATION, id, told),
    )
    if (removed === undefined) throw notFound('invitation', id)
    return { body: { id, removed: true } }
  },
})

function describe({ id, hash }: { readonly id: string; readonly hash: Hash }): ShownInvitation[] {
  const parsed = USER_INVITATION.parse(hash, id)
  if (!parsed.ok) return []
  const { secret_hash: _, by, groups, ...shown } = parsed.record
  return [{ id, ...shown, groups: [...groups], by: `${by.kind} ${by.id}`.trim() }]
}

/** What operators do so that people help themselves: with a lost password, or with a first account. */
export const PEOPLE_OPERATIONS = byName(reset, list, create, remove)
