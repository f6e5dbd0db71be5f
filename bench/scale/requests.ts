// What pages, searches and endings cost a server.

import { setTimeout as pause } from 'node:timers/promises'
import { countEndings } from '../../src/logout/endings-queue.ts'
import { adminOf, type CallAdmin, operatorOf } from './callers.ts'
import type { Cost, Place, Server } from './place.ts'
import { clientIdOf, emailOf, familyNameOf, subOf, usernameOf } from './records.ts'
import { HOLDER, SIGNED_IN, type Sizes, sharesOf } from './sizes.ts'

/** What was measured, and what it cost. */
export interface Row {
  readonly what: string
  readonly cost: Cost
  /** The most memory that a command had, or that a server has, in MB. */
  readonly mb?: number
  /** What else is to be said. */
  readonly note?: string
}

const ROUNDS = 3
const TIMES = 10
/** The first ones compile code. */
const WARM = 5
const WHOLE_PAGE = 200

/** Pages and searches of the admin API. */
export async function adminRows(place: Place, server: Server, { people, clients }: Sizes): Promise<Row[]> {
  let at = 0
  const any = () => {
    at = (at + 102_947) % people
    return at
  }
  const encoded = encodeURIComponent
  const middleOf = async (call: CallAdmin, list: string, limit: number, pages: number) => {
    let next = ''
    for (let i = 0; i < pages; i++) {
      const page = await call('GET', `${list}?limit=${limit}${next}`)
      if (page.next === undefined) break
      next = `&cursor=${encoded(page.next)}`
    }
    return () => `${list}?limit=${limit}${next}`
  }
  const first = await adminOf(place.storage, server)
  const paths: Record<string, () => string> = {
    'admin API: page of 50 people, the first': () => '/users?limit=50',
    'page of 200 people, the first': () => `/users?limit=${WHOLE_PAGE}`,
    'page of 200 people, further on': await middleOf(first, '/users', WHOLE_PAGE, 50),
    'page of 200 clients, the first': () => `/clients?limit=${WHOLE_PAGE}`,
    'page of 200 clients, further on': await middleOf(first, '/clients', WHOLE_PAGE, 50),
    'people by the beginning of a username': () => `/users?q=${usernameOf(any()).slice(0, -2)}`,
    'people by a family name': () => `/users?q=${familyNameOf(any())}`,
    'people by two words that many have': () => `/users?q=${encoded('mail example')}`,
    'a person by address': () => `/users?q=${encoded(emailOf(any()))}`,
    'a person by sub': () => `/users?q=${subOf(any())}`,
    nobody: () => '/users?q=nobody-of-this-name',
    'clients by a word of their names': () => `/clients?q=${encoded(`application ${any() % clients}`)}`,
    'a page of 200 grants of the client that has most': () =>
      `/clients/${clientIdOf(0)}/grants?limit=${WHOLE_PAGE}`,
    'a page of 200 grants of the person who has most': () =>
      `/users/${usernameOf(HOLDER)}/grants?limit=${WHOLE_PAGE}`,
    'a page of 200 sessions of the person who has most': () =>
      `/users/${usernameOf(SIGNED_IN)}/sessions?limit=${WHOLE_PAGE}`,
  }
  const rows: Row[] = []
  for (const [what, path] of Object.entries(paths)) {
    // One caller may not ask so often.
    const call = await adminOf(place.storage, server)
    const work = () => call('GET', path())
    for (let i = 0; i < WARM; i++) await work()
    rows.push({ what, cost: await place.costOf(work, ROUNDS, TIMES) })
  }
  return rows
}

/** Pages of the console. */
export async function consoleRows(place: Place, server: Server, { people }: Sizes): Promise<Row[]> {
  let at = 0
  const any = () => {
    at = (at + 102_947) % people
    return at
  }
  const paths: Record<string, () => string> = {
    'console: Home': () => '',
    People: () => '/people',
    'People, by a family name': () => `/people?q=${familyNameOf(any())}`,
    'a person': () => `/people/${usernameOf(any())}`,
    'a person who has very many grants': () => `/people/${usernameOf(HOLDER)}`,
    'a person who has very many sessions': () => `/people/${usernameOf(SIGNED_IN)}`,
    Applications: () => '/applications',
    'an application': () => `/applications/${clientIdOf(10)}`,
    'the application that has most grants': () => `/applications/${clientIdOf(0)}`,
  }
  const rows: Row[] = []
  for (const [what, path] of Object.entries(paths)) {
    const visitor = await operatorOf(place.storage, server)
    const work = async () => {
      const { status } = await visitor.request('GET', `/console${path()}`)
      if (status !== 200) throw new Error(`the page "${what}" has the status ${status}`)
    }
    for (let i = 0; i < WARM; i++) await work()
    rows.push({ what, cost: await place.costOf(work, ROUNDS, TIMES) })
  }
  return rows
}

/** Removes a client, and waits until all is ended that it had. */
export async function removalRow(place: Place, server: Server, client: number): Promise<Row> {
  const client_id = clientIdOf(client)
  const call = await adminOf(place.storage, server)
  const { etag } = await call('GET', `/clients/${client_id}`)
  const has = await place.storage.lists.count({ list: 'grants-of-client', owner: client_id })
  return endingRow(place, `a client with ${has.toLocaleString('en')} grants is removed`, () =>
    call('DELETE', `/clients/${client_id}`, { 'if-match': etag ?? '' }),
  )
}

/** Ends all sessions of the person who has most. */
export async function sessionsRow(place: Place, server: Server, sizes: Sizes): Promise<Row> {
  const call = await adminOf(place.storage, server)
  const { sessions } = sharesOf(sizes)
  return endingRow(place, `${sessions.toLocaleString('en')} sessions of a person are ended`, () =>
    call('DELETE', `/users/${usernameOf(SIGNED_IN)}/sessions`),
  )
}

async function endingRow(
  { costOf, storage }: Place,
  what: string,
  end: () => Promise<unknown>,
): Promise<Row> {
  let answered: Cost | undefined
  const cost = await costOf(async () => {
    answered = await costOf(end)
    while ((await countEndings(storage)) > 0) await pause(20)
  })
  const { ms = 0, commands = 0 } = answered ?? {}
  return { what, cost, note: `answered after ${ms.toFixed(0)} ms and ${commands} commands` }
}
