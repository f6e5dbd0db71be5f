import { type Command, InvalidArgumentError } from 'commander'
import type { Invited } from '../../src/admin/users/links.ts'
import { present } from '../../src/core/present.ts'
import { DEFAULT_INVITATION, MAX_DAYS, MAX_USES } from '../../src/self-service/invitation.ts'
import { allItems, type Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { EXIT } from '../errors.ts'
import { listed, type Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { when } from '../when.ts'

interface InviteFlags extends ServerFlags {
  readonly email?: string
  readonly groups?: readonly string[]
  readonly client?: string
  readonly uses: number
  readonly days: number
  readonly send?: boolean
  readonly language?: string
}

/** The commands of links by which people help themselves. */
export function addLinkCommands(user: Command, run: CommandRun): void {
  atServer(
    addCommand(
      user,
      'reset-link <username>',
      'Makes a link with which a user chooses a new password within an hour, or with SIGN_IN=passkeys makes a passkey; it is shown once, and ends older ones.',
      ['redmint user reset-link alice', 'redmint user reset-link alice --send'],
    ),
  )
    .option(
      '--send',
      'send the link to the verified address of the user, and say what the SMTP server answered',
    )
    .action((username: string, flags: ServerFlags & { send?: true }) =>
      run.operate(flags, (calls) => giveResetLink(calls, username, flags)),
    )

  atServer(
    addCommand(
      user,
      'invite',
      'Makes an invitation with which people choose a username, and a password or a passkey; it is shown once.',
      ['redmint user invite --groups staff,editors', 'redmint user invite --email bob@example.com --days 2'],
    ),
  )
    .option(
      '--email <address>',
      'for the person with this address only, for whom you vouch: the account has it as verified',
    )
    .option('--send', 'send the link to that address, and say what the SMTP server answered')
    .option('--language <tag>', 'the language of that mail, such as de. Default: en')
    .option('--groups <names>', 'the groups of its people, separated by commas', readNames)
    .option('--client <client_id>', 'the application that its people go on to. Default: the account page')
    .option('--uses <number>', `how many people it is for, at most ${MAX_USES}`, readUpTo(MAX_USES), 1)
    .option(
      '--days <number>',
      `how many days it is valid, at most ${MAX_DAYS}`,
      readUpTo(MAX_DAYS),
      DEFAULT_INVITATION.days,
    )
    .action((flags: InviteFlags) => run.operate(flags, (calls) => invite(calls, flags)))

  atServer(
    addCommand(user, 'invitations', 'Lists the invitations of people that have not ended.', [
      'redmint user invitations',
    ]),
  ).action((flags: ServerFlags) => run.operate(flags, listInvitations))

  atServer(
    addCommand(
      user,
      'remove-invitation <id>',
      'Removes an invitation of people; the accounts that it made stay.',
      ['redmint user remove-invitation 3f9a0c5d7e1b2468'],
    ),
  ).action((id: string, flags: ServerFlags) => run.operate(flags, (calls) => removeInvitation(calls, id)))
}

/**
 * Makes a link for a user. The server that makes it says what it sets.
 * @param hides_sent whether a link that was sent is not shown, too
 */
export async function giveResetLink(
  { call, now }: Calls,
  username: string,
  { send, hides_sent }: { readonly send?: boolean; readonly hides_sent?: true } = {},
): Promise<Report> {
  const given = await call('create_reset_link', { params: { username }, ...(send && { query: { send } }) })
  const { url: _, ...without } = given
  if (hides_sent && given.mail?.sent)
    return {
      text: `A link is on its way. ${mailLine(given.mail)} It counts until ${when(given.expires_at, now)}.`,
      json: without,
    }
  const sentence = `The user ${given.sets === 'passkey' ? 'makes a passkey' : 'chooses a new password'} with it, until ${when(given.expires_at, now)}. It is not shown again.`
  return reportLink(given, sentence)
}

/** Reports a link that is shown once, and what became of its mail. */
function reportLink(given: Pick<Invited, 'url' | 'mail'>, sentence: string): Report {
  const { url, mail } = given
  const text = [url, '', sentence, ...(mail === undefined ? [] : ['', mailLine(mail)])].join('\n')
  // Who asked for a mail has to hand the link over now.
  return { text, json: given, ...(mail?.sent === false ? { exit: EXIT.refused } : {}) }
}

async function invite({ call, now }: Calls, flags: InviteFlags): Promise<Report> {
  const { email, groups, client, uses, days, send, language } = flags
  const body = {
    ...present({ email, client, send, language }),
    ...(groups && { groups: [...groups] }),
    uses,
    days,
  }
  const invited = await call('create_user_invitation', { body })
  const sentence = `${uses === 1 ? 'One person' : `${uses} people`} can make an account with it, until ${when(invited.expires_at, now)}. It is not shown again.`
  return reportLink(invited, sentence)
}

const mailLine = ({ sent, answer }: NonNullable<Invited['mail']>): string =>
  sent ? `The SMTP server took the mail: ${answer}.` : `The mail was not sent: ${answer}. Hand the link over.`

async function listInvitations(calls: Calls): Promise<Report> {
  const invitations = await allItems(calls, 'list_user_invitations', {})
  const rows = invitations.map(({ id, uses_left, groups, email, client, by, expires_at }) => [
    id,
    String(uses_left),
    email ?? '',
    groups.join(','),
    client ?? '',
    by,
    when(expires_at, calls.now),
  ])
  return {
    text: listed(['ID', 'USES LEFT', 'EMAIL', 'GROUPS', 'CLIENT', 'BY', 'UNTIL'], rows, {
      none: 'There are no invitations.',
      noun: 'invitation',
    }),
    json: { invitations },
  }
}

async function removeInvitation({ call }: Calls, id: string): Promise<Report> {
  await call('delete_user_invitation', { params: { id } })
  return { text: 'The invitation is removed. Accounts that it made stay.', json: { id, removed: true } }
}

function readNames(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Returns a parser of whole numbers from 1 on. */
const readUpTo = (max: number) => (value: string) => {
  const number = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
  if (number <= max) return number
  throw new InvalidArgumentError(`Give a whole number from 1 to ${max}.`)
}
