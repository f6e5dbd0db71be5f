// What operators see and end of sessions, grants and consents: M1 and M2 of the review. Two replicas share a storage; what one
// is told holds at the other.

import type { Test } from 'tap'
import { CONSENT, consentId, consentLists } from '../../../../src/interaction/consent.ts'
import { cookieDigest, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { sessionLists } from '../../../../src/sessions/session-lists.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { fitIndexes } from '../../../../src/storage/indexes.ts'
import { grantListings } from '../../../../src/tokens/grant-listings.ts'
import { grantLists } from '../../../../src/tokens/grant-lists.ts'
import { CHEAP } from '../../../support/accounts.ts'
import { adminCalls } from '../../../support/admin.ts'
import { ask, populate, readTokens, type Tokens, tokensOf } from '../../../support/claims/sign-ins.ts'
import { ACCEPTED, accepts, inUse, REFUSED } from '../../../support/expect.ts'
import { forEachService, type Lifecycle, type Start } from '../../../support/lifecycle.ts'
import { observed, ofRequests } from '../../../support/observed.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, visitorOf } from '../../../support/scene/requests.ts'
import { VERIFIER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, type Visitor } from '../../../support/visitor.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1'

const SCOPE = 'openid api.read offline_access'

interface Item {
  sid: string
  browser: string
  grant: string
  [member: string]: unknown
}

/** Two replicas, and what an operator does at the first one. */
async function startWithOperator(t: Test, start: Start, options: Parameters<Start>[0] = {}) {
  const given = { ...CHEAP, demo: false, admin_api: 'on' as const, ...options }
  const replicas = [await start(given), await start(given)] as const
  const [service] = replicas
  await populate(service.storage)
  const { call, tokenOf } = adminCalls(service)
  const token = await tokenOf('redmint:read', 'redmint:write')
  const items = async (path: string) => {
    const { status, json } = await call('GET', path, { token })
    t.equal(status, 200, path)
    return json.items as Item[]
  }
  const end = (path: string) => call('DELETE', path, { token })
  return { replicas, service, storage: service.storage, items, end }
}

/** A browser in which alice signs in to the shop. */
async function browse(service: Lifecycle, user_agent: string): Promise<{ visitor: Visitor; tokens: Tokens }> {
  const visitor = visitorOf(() => service.fastify)
  visitor.headers['user-agent'] = user_agent
  const { told } = asDeparture(await signInAndAgree(visitor, { scope: SCOPE }))
  const code = told.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: 'https://app.example.com/callback' }
  return { visitor, tokens: readTokens(await ask(service, 'shop', { ...form, code_verifier: VERIFIER })) }
}

const silent = async (visitor: Visitor) => {
  const { told } = asDeparture(await visitor.open(requestUrl({ prompt: 'none', scope: SCOPE })))
  return told.has('code') ? 'code' : told.get('error')
}

/** Waits until a replica refuses a token: what another one was told holds within a second. */
const dead = async (t: Test, replicas: readonly Lifecycle[], { access_token, refresh_token }: Tokens) => {
  for (const replica of replicas) {
    await until('the replica knows', async () => (await accepts(replica, access_token)).api === 401)
    t.strictSame(await accepts(replica, access_token), REFUSED)
    t.strictSame(await inUse(replica, [refresh_token]), [])
    t.equal((await ask(replica, 'shop', { grant_type: 'refresh_token', refresh_token })).status, 400)
  }
}

forEachService(
  'M1, M2: a session is shown as its user would recognise it, and ends alone, with its tokens',
  async (t, start) => {
    const { replicas, service, storage, items, end } = await startWithOperator(t, start)
    const one = await browse(service, FIREFOX)
    const other = await browse(service, SAFARI)
    const sessions = await items('/users/alice/sessions')
    t.strictSame(sessions.map(({ browser }) => browser).sort(), ['Firefox on Linux', 'Safari on iPhone'])
    for (const session of sessions) {
      t.match(session, {
        started_at: /T.*Z$/,
        last_used_at: /Z$/,
        address: '127.0.0.1',
        amr: ['pwd'],
      })
      t.strictSame(session.clients, ['shop'])
      t.ok(String(session.last_used_at) >= String(session.started_at), 'the minute began before')
    }
    const text = JSON.stringify([
      sessions,
      await items('/users/alice/grants'),
      await items('/users/alice/consents'),
    ])
    for (const { visitor, tokens } of [one, other]) {
      for (const secret of [...visitor.cookies.values(), ...Object.values(tokens).map(String)]) {
        for (const form of [
          secret,
          cookieDigest(secret),
          sessionIdOf(secret),
          secret.split('.')[1] ?? secret,
        ])
          t.notOk(form !== '' && text.includes(form), 'nothing in it can be used')
      }
    }
    await changeClient(storage, 'shop', { set: { backchannel_logout_uri: 'http://127.0.0.1:1/out' } })
    const { sid = '' } = sessions.find(({ browser }) => browser === 'Firefox on Linux') ?? {}
    t.equal((await end(`/users/bob/sessions/${sid}`)).status, 404, "not another user's")
    t.match(await end(`/users/alice/sessions/${sid}`), { status: 200, json: { ended: 1 } })
    // logout_ends_tokens is off, and the tokens have offline access.
    await dead(t, replicas, one.tokens)
    t.equal(await silent(one.visitor), 'login_required')
    await until('the client is told', async () => (await storage.queue.size('logouts')) === 1)
    t.strictSame(await accepts(service, other.tokens.access_token), ACCEPTED)
    t.equal(await silent(other.visitor), 'code')
    t.strictSame(
      (await items('/users/alice/sessions')).map(({ browser }) => browser),
      ['Safari on iPhone'],
    )
    t.equal((await end(`/users/alice/sessions/${sid}`)).status, 404, 'it ends once')
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'M1: all sessions of a user end, and those of everybody only with the word',
  async (t, start) => {
    const { replicas, service, storage, items, end } = await startWithOperator(t, start)
    const [, second] = replicas
    const browsers = [await browse(service, FIREFOX), await browse(second, SAFARI)]
    t.match(await end('/users/alice/sessions'), { status: 200, json: { ended: 2 } })
    for (const { visitor, tokens } of browsers) {
      await dead(t, replicas, tokens)
      t.equal(await silent(visitor), 'login_required')
    }
    t.strictSame(await items('/users/alice/sessions'), [])
    t.strictSame(await items('/users/alice/grants'), [])
    const key = { list: 'sessions-of', owner: 'alice' } as const
    await until('a server has ended them', async () => (await storage.lists.count(key)) === 0)
    await until('nothing is left to do', async () => (await storage.queue.size('endings')) === 0)
    for await (const { id } of storage.records.scan(SESSION)) t.fail(`the session ${id} is left`)

    service.advance?.(1)
    // The same browser signs in again: what was ended is over, and nothing of it comes back.
    const again = await browse(service, FIREFOX)
    t.equal(await silent(again.visitor), 'code')
    t.equal((await items('/users/alice/sessions')).length, 1)
    t.strictSame(await accepts(second, again.tokens.access_token), ACCEPTED)

    t.equal((await end('/sessions')).status, 400)
    t.equal((await end('/sessions?confirm=yes')).status, 400)
    t.equal(await silent(again.visitor), 'code')
    t.equal((await end('/sessions?confirm=all-sessions')).status, 200)
    await dead(t, replicas, again.tokens)
    t.equal(await silent(again.visitor), 'login_required')
    t.equal((await end('/sessions?confirm=all-sessions')).status, 429)
    await until('nothing is left to do', async () => (await storage.queue.size('endings')) === 0)
    t.strictSame(await items('/users/alice/sessions'), [])
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'a grant ends alone, or with all of its user or client, those written by hand included',
  async (t, start) => {
    const { replicas, service, items, end } = await startWithOperator(t, start)
    const { tokens, visitor } = await browse(service, FIREFOX)
    const [grant] = await items('/users/alice/grants')
    t.match(grant, {
      client_id: 'shop',
      username: 'alice',
      scope: SCOPE,
      resources: [],
    })
    for (const member of ['started_at', 'last_used_at', 'expires_at']) t.match(grant?.[member], /Z$/, member)
    t.strictSame(await items('/clients/shop/grants'), [grant])
    t.equal((await end(`/users/bob/grants/${grant?.grant}`)).status, 404)
    t.equal((await end(`/clients/wiki/grants/${grant?.grant}`)).status, 404)
    t.match(await end(`/users/alice/grants/${grant?.grant}`), { status: 200, json: { ended: 1 } })
    await dead(t, replicas, tokens)
    t.strictSame([...(await items('/users/alice/grants')), ...(await items('/clients/shop/grants'))], [])
    t.equal(await silent(visitor), 'code', 'the session goes on')

    const of_alice = { subject: 'sub-of-alice', username: 'alice', scope: 'openid api.read' }
    const of_bob = { subject: 'sub-of-bob', username: 'bob', scope: 'openid api.read' }
    // In no list, and without the time when it began.
    const by_hand = await tokensOf(service, 'shop', of_alice)
    const kept = await tokensOf(service, 'wiki', of_bob)
    const other = await tokensOf(service, 'shop', of_bob)
    t.equal((await end('/users/alice/grants')).status, 200)
    await dead(t, replicas, by_hand)
    t.strictSame(await accepts(service, other.access_token), ACCEPTED, 'another user')
    t.equal((await end('/clients/shop/grants')).status, 200)
    await dead(t, replicas, other)
    t.strictSame(await accepts(service, kept.access_token), ACCEPTED, 'another client')
    service.advance?.(1)
    t.equal(await silent(visitor), 'code', 'what is granted from now on counts')
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'ending 1,000 sessions of a user costs the request what ending a few does',
  async (t, start, place) => {
    let calls: string[] = []
    // No server works in the background while the calls of the request are counted.
    let is_paused = true
    const note = ofRequests((call, run) => {
      calls.push(call)
      return run()
    })
    const counted = observed(place.open(t), (call, run, args) =>
      is_paused && call === 'claim' ? Promise.resolve([]) : note(call, run, args),
    )
    const { service, storage, items, end } = await startWithOperator(t, start, { storage: counted })
    const now = service.now()
    const startSessions = async (username: string, count: number) => {
      for (let i = 0; i < count; i += 1) {
        const session = {
          ...{
            sid: `${username} ${i}`,
            username,
            sub: `sub-of-${username}`,
            auth_time: 1,
            amr: 'pwd',
            acr: '1',
          },
          ...{ started_at: now, ends_at: now + 3_600_000, clients: new Set<string>(), families: new Map() },
        }
        await createSession(storage, `${username} ${i}`, session, 3600)
      }
    }
    await startSessions('bob', 300)
    await startSessions('alice', 1000)
    const costOf = async (username: string) => {
      calls = []
      const { json } = await end(`/users/${username}/sessions`)
      return { ended: json.ended, calls: calls.length }
    }
    service.advance?.(1)
    await items('/users/bob/sessions')
    const [few, many] = [await costOf('bob'), await costOf('alice')]
    t.match([few.ended, many.ended], [300, 1000])
    t.equal(many.calls, few.calls)
    is_paused = false
    const left = () => storage.lists.count({ list: 'sessions-of', owner: 'alice' })
    await until('a server has ended them', async () => (await left()) === 0)
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'a mark that is set by hand ends what it is about, though no server clears it away',
  async (t, start) => {
    const { service, storage, items } = await startWithOperator(t, start)
    const { visitor } = await browse(service, FIREFOX)
    t.equal((await items('/users/alice/sessions')).length, 1)
    service.advance?.(1)
    const mark = service.now() + 1
    await changeUser(storage, 'alice', { set: { sessions_end_before: String(mark) } })
    t.strictSame(await items('/users/alice/sessions'), [])
    t.strictSame(await items('/users/alice/grants'), [])
    await until('the server knows', async () => (await silent(visitor)) === 'login_required')
    // Nothing of the earlier session is carried on.
    await until('the mark is over', async () => service.now() > mark || service.advance?.(1) !== undefined)
    await signInAndAgree(visitor, { scope: SCOPE })
    t.equal(await silent(visitor), 'code')
    const [session, ...more] = await items('/users/alice/sessions')
    t.strictSame(more, [])
    t.ok(Date.parse(String(session?.started_at)) >= mark)
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'a list is paged, and what is over is left out and removed',
  async (t, start) => {
    const { service, storage, items } = await startWithOperator(t, start)
    const now = service.now()
    const key = { list: 'grants-of-user', owner: 'alice' } as const
    const add = async (family: string, started_at: number) => {
      const began = { username: 'alice', started_at: String(started_at) }
      await storage.lists.add(...grantListings({ family, client_id: 'shop', ...began, started_at }, 600))
    }
    // Its code was not redeemed yet; this one's never was.
    await add('awaited-grant-01', now)
    await add('forgotten-grant1', now - 2 * 3_600_000)
    t.strictSame(await items('/users/alice/grants'), [])
    t.strictSame(
      (await storage.lists.page(key, { limit: 9 })).entries.map(({ id }) => id),
      [`awaited-grant-01:${now}`],
    )
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'sessions, grants and consents that were written by hand are listed once the indexes are made to fit',
  async (t, start) => {
    const { service, storage, items } = await startWithOperator(t, start)
    await browse(service, FIREFOX)
    const redmint = ['sessions', 'grants'].map((noun) => items(`/users/alice/${noun}`))
    t.match(await Promise.all(redmint), [{ length: 1 }, { length: 1 }])
    await tokensOf(service, 'shop', { subject: 'sub-of-alice', username: 'alice' })
    const ends_at = String(Date.now() + 3_600_000)
    const hash = {
      sid: 'by-hand',
      username: 'alice',
      sub: 'sub-of-alice',
      auth_time: '1',
      amr: 'pwd',
      acr: '1',
      ends_at,
    }
    await storage.records.put({ kind: SESSION, id: 'by hand', hash, ttl: 3600 })
    const write = (id: string) => storage.records.put({ kind: CONSENT, id, hash: { scope: 'openid' } })
    for (const id of [consentId('sub-of-alice', 'a:client'), '%zz:client', 'nobody']) await write(id)
    const fit = async () => {
      const consents = consentLists(storage, 3600, service.now)
      return fitIndexes(storage, [sessionLists(storage), grantLists(storage, service.now), consents])
    }
    // The servers may have begun to do the same.
    await fit()
    t.match(await fit(), { added: 0 }, 'they fit now')
    const sids = (await items('/users/alice/sessions')).map(({ sid }) => sid)
    t.ok(sids.length === 2 && sids.includes('by-hand'))
    t.match(await items('/users/alice/grants'), { length: 2 })
    t.match(await items('/clients/shop/grants'), { length: 2 })
    const consents = (await items('/users/alice/consents')).map(({ client_id }) => client_id)
    t.ok(consents.includes('a:client'))
  },
  ['opaque'],
  ['redis'],
)
