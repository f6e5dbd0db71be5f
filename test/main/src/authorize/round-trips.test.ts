// The number of Redis commands of each step, with cached records of clients, accounts and consents.

import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { MAX_FAMILIES } from '../../../../src/sessions/join-session.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'
import {
  DOCUMENT_REQUEST,
  documentRequest,
  startWithDocuments,
} from '../../../support/clients/document-clients.ts'
import { countCommands, countWith } from '../../../support/command-counter.ts'
import { LARGEST, storeNotes } from '../../../support/details.ts'
import { pushedUrl } from '../../../support/pushing.ts'
import { createClient, reportsOf, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { until } from '../../../support/until.ts'
import type { Visitor } from '../../../support/visitor.ts'

interface Row {
  name: string
  commands: number
  /** Prepares everything that the request needs. */
  prepare(person: Visitor): Promise<() => Promise<unknown>>
}

const [redirect_uri = ''] = RELYING_PARTIES.wiki.redirect_uris
const wiki = (more = {}) => requestUrl({ client_id: 'wiki', redirect_uri, ...more })
const go = (url: string) => async (person: Visitor) => () => person.request('GET', url)
const signedIn = (next: (person: Visitor) => Promise<() => Promise<unknown>>) => async (person: Visitor) => {
  await signInAndAgree(person)
  return next(person)
}
const pushedAt = async (person: Visitor, more = {}) => {
  const form = new URL(requestUrl(more), 'http://x').searchParams.toString()
  const { text } = await person.request('POST', '/oauth2/par', form)
  return pushedUrl(JSON.parse(text).request_uri)
}
const pushed = async (person: Visitor) => {
  const url = await pushedAt(person)
  return () => person.request('GET', url)
}
const withDetails = { authorization_details: JSON.stringify(LARGEST) }
/** A session of a client whose families end with it, which has all that it may have. */
const fullSession = async (person: Visitor) => {
  const url = requestUrl({ client_id: 'ends' })
  await signInAndAgree(person, { client_id: 'ends' })
  for (let i = 0; i < MAX_FAMILIES; i++) await person.request('GET', url)
  return () => person.request('GET', url)
}

const failing = (username: string) => async (person: Visitor) => {
  const page = await person.page(requestUrl())
  return () => signInOn(person, page, username, 'wrong horse battery')
}

const ROWS: Row[] = [
  { name: 'nobody signed in', commands: 0, prepare: go(requestUrl()) },
  { name: 'nobody signed in, prompt=none', commands: 0, prepare: go(requestUrl({ prompt: 'none' })) },
  {
    name: 'a request that is refused',
    commands: 0,
    prepare: signedIn(go(requestUrl({ prompt: 'none login' }))),
  },
  { name: 'signed in', commands: 2, prepare: signedIn(go(requestUrl())) },
  { name: 'signed in, a pushed request', commands: 3, prepare: signedIn(pushed) },
  { name: 'signed in, prompt=none', commands: 2, prepare: signedIn(go(requestUrl({ prompt: 'none' }))) },
  {
    name: 'the first time of a client in a session, which remembers it',
    commands: 3,
    async prepare(person) {
      await signInAndAgree(person, { client_id: 'wiki', redirect_uri })
      await signInOn(person, await person.page(requestUrl({ prompt: 'login' })), 'bob')
      await signInOn(person, await person.page(requestUrl({ prompt: 'login' })))
      return () => person.request('GET', wiki())
    },
  },
  {
    name: 'a client of our own, the first time in a session',
    commands: 3,
    prepare: signedIn(go(requestUrl({ client_id: 'own' }))),
  },
  {
    name: 'a client whose tokens end with the session: the oldest family ends',
    commands: 5,
    prepare: fullSession,
  },
  {
    name: 'the page to sign in',
    commands: 0,
    async prepare(person) {
      const { url } = await person.page(requestUrl())
      return () => person.request('GET', url)
    },
  },
  // What was typed decides, not whether there is such a user: 3 commands find the account, 4 count the failure.
  { name: 'a wrong password', commands: 5, prepare: failing('alice') },
  { name: 'a wrong password, with an e-mail address', commands: 5, prepare: failing('alice@example.com') },
  { name: 'an unknown user', commands: 5, prepare: failing('nobody') },
  { name: 'an unknown e-mail address', commands: 5, prepare: failing('nobody@example.com') },
  { name: 'a wrong password, username in another case', commands: 6, prepare: failing('Alice') },
  { name: 'an unknown user in another case', commands: 6, prepare: failing('Nobody') },
  { name: 'a client of a metadata document, nobody signed in', commands: 0, prepare: go(documentRequest()) },
  {
    name: 'a client of a metadata document, signed in',
    commands: 2,
    async prepare(person) {
      await signInAndAgree(person, DOCUMENT_REQUEST)
      await person.request('GET', documentRequest())
      return () => person.request('GET', documentRequest())
    },
  },
  {
    name: 'a pushed request with the largest details',
    commands: 2,
    prepare: signedIn(async (person) => {
      const url = await pushedAt(person, withDetails)
      return () => person.request('GET', url)
    }),
  },
  {
    name: 'its page, which reads the pushed request',
    commands: 2,
    prepare: signedIn(async (person) => {
      const { url } = await person.page(await pushedAt(person, withDetails))
      return () => person.request('GET', url)
    }),
  },
  {
    name: 'the page that asks for consent',
    commands: 1,
    prepare: signedIn(async (person) => {
      const { url } = await person.page(wiki({ prompt: 'consent' }))
      return () => person.request('GET', url)
    }),
  },
]

t.test('commands to Redis', async (t) => {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port)
  const storage = redisStorage(t, counter, 'test:')
  // The logout queue is not read meanwhile.
  const backchannel = { timing: { poll: 3600 } }
  const { visitor } = await startWithDocuments(t, {
    storage,
    backchannel,
    sign_in_failures: 1000,
    par_requests: 1000,
    // Its list of what happened lately is written after the answer.
    account_page: 'off',
  })
  await storeNotes(storage, ['shop'])
  const ends = { ...RELYING_PARTIES.shop, client_id: 'ends', logout_ends_tokens: true }
  await createClient(storage, 'ends', formatClient(ends))
  await indexUser(storage, 'alice')
  await until('the cached records are watched', () => watchesAll(storage))
  // Records that were just written are not cached until their notices have arrived.
  await until('client records are cached', async () => {
    counter.take()
    await Promise.all(
      ['shop', 'own', 'ends'].map((client_id) => visitor().open(requestUrl({ client_id, prompt: 'none' }))),
    )
    await visitor().open(wiki({ prompt: 'none' }))
    return counter.take().length === 0
  })
  const allReported = reportsOf(storage)
  const count = countWith(storage, counter)
  for (const { name, commands, prepare } of ROWS) {
    // A first run gives the consents and loads the scripts. The second caches the records.
    await (await prepare(visitor()))()
    await allReported()
    await (await prepare(visitor()))()
    for (let round = 0; round < 2; round++) {
      const { commands: taken } = await count(() => prepare(visitor()))
      t.equal(taken.length, commands, `${name}: ${taken.join(', ') || 'none'}`)
    }
  }
})
