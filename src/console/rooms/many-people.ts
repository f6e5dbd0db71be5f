import { AdminError } from '../../admin/operation/problem.ts'
import { type Html, html } from '../../pages/html.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import type { Desk } from '../desk.ts'
import { at, link, type Mood, short, text } from '../pages/parts.ts'
import type { ListedPerson } from '../people-lines.ts'
import type { ConsoleRequest } from '../rows.ts'
import { usernameFrom } from './add-person.ts'
import { linesIn } from './known-groups.ts'

/** How the people of a list come in. */
export type EntryWay = 'invite' | 'add'

/** What is known of a line before, or what became of it. */
export interface ListedOutcome {
  readonly line: ListedPerson
  readonly word: string
  readonly mood: Mood
  readonly says: Html | string
}

/** Whether this operator can invite people here. */
export const mayInvite = (desk: Desk): boolean =>
  desk.may('create_user_invitation') && desk.refusal('create_user_invitation') === undefined
/** Whether links can be sent. */
export const sendsMail = (desk: Desk): boolean => desk.refusal('test_mail') === undefined

/** Says of each line whether somebody would be made of it. @throws AdminError; StorageUnavailable */
export async function look(
  desk: Desk,
  way: EntryWay,
  given: readonly ListedPerson[],
): Promise<ListedOutcome[]> {
  const waiting = way === 'invite' ? await invitedBefore(desk) : new Set<string>()
  return Promise.all(
    given.map(async (line): Promise<ListedOutcome> => {
      if (line.problem !== undefined) return { line, word: 'wrong', mood: 'bad', says: line.problem }
      const known = await ownerOf(desk, line.email)
      if (known !== undefined)
        return {
          line,
          word: 'here already',
          mood: 'plain',
          says: html`as ${link(desk, at`/people/${known}`, short(known))}`,
        }
      if (waiting.has(line.email.toLowerCase()))
        return { line, word: 'invited already', mood: 'plain', says: 'an invitation waits' }
      if (way === 'invite') return { line, word: 'new', mood: 'good', says: '' }
      try {
        await desk.plan('create_user', { body: newUser(desk, line, []) })
        return { line, word: 'new', mood: 'good', says: html`as ${short(usernameFrom(line.email))}` }
      } catch (error) {
        if (!(error instanceof AdminError)) throw error
        return { line, word: 'wrong', mood: 'bad', says: error.message }
      }
    }),
  )
}

/** So many invitations are looked at, the newest first. */
const LOOKED_AT = '200'

/** The addresses of invitations that wait. */
async function invitedBefore(desk: Desk): Promise<ReadonlySet<string>> {
  const { body } = await desk.ask('list_user_invitations', { query: { limit: LOOKED_AT } })
  const waiting = body.items.filter(({ uses_left }) => uses_left > 0)
  return new Set(waiting.flatMap(({ email }) => (email === undefined ? [] : [email.toLowerCase()])))
}

/** Returns who has an address; undefined: nobody whom the operator may see. */
async function ownerOf(desk: Desk, email: string): Promise<string | undefined> {
  if (!desk.may('list_users')) return undefined
  const { body } = await desk.ask('list_users', { query: { q: email, limit: '1' } })
  const same = body.items.find(
    ({ username, claims }) =>
      username.toLowerCase() === email.toLowerCase() ||
      (typeof claims?.email === 'string' && claims.email.toLowerCase() === email.toLowerCase()),
  )
  return same?.username
}

const newUser = (desk: Desk, { email, name }: ListedPerson, groups: readonly string[]) => ({
  username: usernameFrom(email),
  claims: {
    ...{ email, email_verified: true },
    ...(name !== '' && { name }),
    ...(groups.length > 0 && { [desk.groups_claim]: [...groups] }),
  },
})

/** So many are made at the same time: a mail takes as long as the mail server does. */
const AT_ONCE = 5

/**
 * Adds or invites whoever is new, some at a time. What became of each line is said, also of those that nobody tried after
 * storage did not answer. After a mail server took none of some mails no more are tried: their links are handed over.
 */
export async function addEach(
  desk: Desk,
  { form }: ConsoleRequest,
  way: EntryWay,
  given: readonly ListedPerson[],
): Promise<ListedOutcome[]> {
  const groups = linesIn(form.groups)
  const looked = await look(desk, way, given)
  const fresh = looked.filter(({ mood }) => mood === 'good').map(({ line }) => line)
  const made = new Map<ListedPerson, ListedOutcome>()
  let sends = sendsMail(desk)
  for (let i = 0; i < fresh.length; i += AT_ONCE) {
    const some = fresh.slice(i, i + AT_ONCE)
    const make = (line: ListedPerson) =>
      way === 'add' ? add(desk, line, groups) : invite(desk, line, { groups, client: form.client, sends })
    const told = await Promise.all(some.map((line) => make(line).catch((error) => failed(line, error))))
    for (const one of told) made.set(one.line, one)
    if (told.every(({ word }) => word === UNKNOWN)) break
    sends &&= told.some(({ mood }) => mood === 'good')
  }
  return looked.map((before) => {
    if (before.mood !== 'good') return before
    const { line } = before
    return made.get(line) ?? { line, word: 'not tried', mood: 'warn', says: 'Paste the line again.' }
  })
}

const UNKNOWN = 'not known'

/** What became of a line that an operation refused, or that nobody answered. @throws anything else */
function failed(line: ListedPerson, error: unknown): ListedOutcome {
  if (error instanceof AdminError) return { line, word: 'not done', mood: 'bad', says: error.message }
  if (!(error instanceof StorageUnavailable)) throw error
  const says = 'Nobody answered: paste the line again, and the list says whether it was done.'
  return { line, word: UNKNOWN, mood: 'warn', says }
}

async function add(desk: Desk, line: ListedPerson, groups: readonly string[]): Promise<ListedOutcome> {
  const body = newUser(desk, line, groups)
  await desk.ask('create_user', { body })
  const { username } = body
  return {
    line,
    word: 'added',
    mood: 'good',
    says: html`as ${link(desk, at`/people/${username}`, short(username))}`,
  }
}

interface Inviting {
  readonly groups: readonly string[]
  readonly client: string | undefined
  /** Whether the link is sent. */
  readonly sends: boolean
}

async function invite(
  desk: Desk,
  line: ListedPerson,
  { groups, client = '', sends }: Inviting,
): Promise<ListedOutcome> {
  const { body } = await desk.ask('create_user_invitation', {
    body: {
      email: line.email,
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(client !== '' && { client }),
      ...(sends && { send: true }),
    },
  })
  const { mail, url } = body
  if (mail?.sent === true) return { line, word: 'invited', mood: 'good', says: 'by mail' }
  const why = mail === undefined ? '' : html`The mail was not sent: ${text(mail.answer)}<br>`
  return {
    line,
    word: 'invited',
    mood: mail === undefined ? 'good' : 'warn',
    says: html`${why}Hand over: <code>${text(url)}</code>`,
  }
}
