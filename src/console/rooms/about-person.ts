import { html } from '../../pages/html.ts'
import type { Subject } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { type Consequence, counted } from '../pages/consequence.ts'
import { at } from '../pages/parts.ts'
import { addressText, calledOf, face, type ShownUser } from '../pages/person.ts'
import type { ConsoleRequest } from '../rows.ts'
import { usernameOf } from './people.ts'

/** So many are counted for the page of an action: ending much is no dearer than ending little. */
const COUNTED = '20'

/** A person whom an action is about. */
export interface AboutPerson extends Subject {
  /** Absent: the operator may not see it. */
  readonly person?: ShownUser
}

/** Reads whom an action is about. @throws AdminError `not_found`; StorageUnavailable */
export async function aboutPerson(desk: Desk, given: ConsoleRequest): Promise<AboutPerson> {
  const username = usernameOf(given)
  const path = at`/people/${username}`
  // Who may change people may not see them, unless both rights are given.
  if (!desk.may('read_user')) return { name: username, path, mark: face(username, 'large') }
  const { body: person, version } = await desk.ask('read_user', { params: { username } })
  const name = calledOf(person)
  const email = person.claims?.email
  return {
    ...{ name, path, person, version, mark: face(name, 'large') },
    lead: email === undefined ? html`${person.username}` : addressText(email),
  }
}

/** The first sessions of a person; undefined: the operator may not see them. @throws AdminError; StorageUnavailable */
export async function firstSessions(desk: Desk, { params }: ConsoleRequest) {
  if (!desk.may('list_sessions')) return undefined
  const asked = { params: paramsOf('list_sessions', params), query: { limit: COUNTED } }
  return (await desk.ask('list_sessions', asked)).body
}

/** The same of what applications have. @throws AdminError; StorageUnavailable */
export async function firstGrants(desk: Desk, { params }: ConsoleRequest) {
  if (!desk.may('list_grants_of_user')) return undefined
  const asked = { params: paramsOf('list_grants_of_user', params), query: { limit: COUNTED } }
  return (await desk.ask('list_grants_of_user', asked)).body
}

/** How many sessions end. @throws AdminError; StorageUnavailable */
export async function sessionsThatEnd(desk: Desk, given: ConsoleRequest): Promise<Consequence | undefined> {
  const found = await firstSessions(desk, given)
  return found && counted(found, 'session ends now', 'sessions end now')
}

/** How many applications lose their access. @throws AdminError; StorageUnavailable */
export async function accessThatEnds(
  desk: Desk,
  given: ConsoleRequest,
): Promise<readonly (Consequence | undefined)[]> {
  const found = await firstGrants(desk, given)
  if (found === undefined) return []
  const { next } = found
  const applications = [...new Set(found.items.map(({ client_id }) => client_id))]
  return [
    counted(
      found,
      'sign-in of an application ends, with its tokens',
      'sign-ins of applications end, with their tokens',
    ),
    // With one of each there is nothing to tell.
    found.items.length < 2
      ? undefined
      : counted(
          { items: applications, next },
          'application loses its access',
          'applications lose their access',
        ),
  ]
}

/** What ends with an account. @throws AdminError; StorageUnavailable */
export async function allThatEnds(
  desk: Desk,
  given: ConsoleRequest,
  { person }: AboutPerson,
): Promise<readonly (Consequence | undefined)[]> {
  const [sessions, access] = await Promise.all([sessionsThatEnd(desk, given), accessThatEnds(desk, given)])
  return [sessions, ...access, rightsThatEnd(person)]
}

/** What is lost with a person who manages something; undefined: nothing. */
function rightsThatEnd(person: ShownUser | undefined): Consequence | undefined {
  const { admin = [] } = person ?? {}
  if (admin.length === 0) return undefined
  return counted({ items: admin }, 'right to manage is lost', 'rights to manage are lost')
}
