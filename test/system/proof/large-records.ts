// Very many records, written past redmint by fast pipelines.
import type { Redis } from 'ioredis'
import { SESSION } from '../../../src/sessions/session-record.ts'
import { sessionListing } from '../../../src/sessions/session-store.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'

export const PREFIX = 'redmint:'
/** One user and one grant of so many are written by hand, and are in no list. */
export const ODD = 1000
/** The client that has all grants. */
export const EVERYWHERE = 'app-0000001'
/** So many of the grants are of user 1; each other user has one or none. */
export const GRANTS_OF_ONE = 10_000
const AT_A_TIME = 2000
const DAY = 86_400_000
const STARTED = Date.now() - DAY

export const digits = (i: number) => String(i).padStart(7, '0')
export const emailOf = (i: number) => `person.${digits(i)}@mail.example.com`

/** Writes users, and a client for each tenth, with all that is kept of them but for each thousandth user. */
export async function fillUsers(client: Redis, count: number): Promise<void> {
  for (let start = 0; start < count; start += AT_A_TIME) {
    const pipeline = client.pipeline()
    for (let i = start; i < Math.min(start + AT_A_TIME, count); i++) {
      const username = `user-${digits(i)}`
      const sub = `sub-${digits(i)}`
      pipeline.hset(`${PREFIX}user:${username}`, {
        sub,
        name: `Person ${i}`,
        email: emailOf(i),
        email_verified: 'true',
        password_hash: `$argon2id$v=19$m=19456,t=2,p=1$${'c'.repeat(22)}$${'h'.repeat(43)}`,
      })
      if (i % ODD !== 0) {
        pipeline.zadd(`${PREFIX}names:user`, 0, username)
        pipeline.zadd(`${PREFIX}last-sign-ins`, Date.now() - i, username)
        for (const name of [emailOf(i), `sub:${sub}`])
          pipeline.hset(`${PREFIX}sign-in-name:${name}`, username, '1')
      }
      if (i % 10 !== 0) continue
      const client_id = `app-${digits(i / 10)}`
      pipeline.hset(`${PREFIX}client:${client_id}`, {
        client_name: `App ${i}`,
        is_public: 'true',
        redirect_uris: `https://app-${i}.example.com/callback`,
        allowed_scopes: 'openid profile',
        grant_types: 'authorization_code refresh_token',
      })
      pipeline.zadd(`${PREFIX}names:client`, 0, client_id)
    }
    await pipeline.exec()
  }
}

const ownerOf = (i: number) => `user-${digits(i < GRANTS_OF_ONE ? 1 : i)}`

function listingsOf(i: number) {
  const family = `family${digits(i)}abc`
  const began = { family, started_at: STARTED + i, client_id: EVERYWHERE, username: ownerOf(i) }
  return { family, listings: grantListings(began, (30 * DAY) / 1000) }
}

/** The latest end of a grant, as lists have it. */
export const endOfGrant = (i: number) => listingsOf(i).listings[0]?.until ?? Number.NaN

/** Writes grants of one client, with their lists but for each thousandth grant. */
export async function fillGrants(client: Redis, count: number): Promise<void> {
  for (let start = 0; start < count; start += AT_A_TIME) {
    const pipeline = client.pipeline()
    for (let i = start; i < Math.min(start + AT_A_TIME, count); i++) {
      const { family, listings } = listingsOf(i)
      pipeline.hset(`${PREFIX}grant:{${family}}`, {
        client_id: EVERYWHERE,
        username: ownerOf(i),
        subject: `sub-${ownerOf(i)}`,
        scope: 'openid profile',
        auth_time: Math.floor(STARTED / 1000),
        status: 'active',
        sid: 's'.repeat(22),
        amr: 'pwd',
        started_at: STARTED + i,
        refresh_until: STARTED + i + 30 * DAY,
      })
      if (i % ODD === 0) continue
      for (const { list, owner, until, id } of listings) pipeline.zadd(`${PREFIX}${list}:${owner}`, until, id)
    }
    await pipeline.exec()
  }
}

/** Writes sessions of a user. */
export async function putSessions(client: Redis, username: string, count: number): Promise<void> {
  const pipeline = client.pipeline()
  for (let i = 0; i < count; i++) {
    const id = `session-${username}-${i}`
    const session = {
      sid: `sid-${i}`,
      username,
      sub: username.replace('user', 'sub'),
      auth_time: Math.floor(STARTED / 1000),
      amr: 'pwd',
      acr: '1',
      started_at: STARTED + i,
      ends_at: STARTED + i + 30 * DAY,
      clients: new Set<string>(),
      families: new Map(),
    }
    const { list, owner, until } = sessionListing(id, session)
    pipeline.hset(`${PREFIX}session:${id}`, SESSION.format(session))
    pipeline.zadd(`${PREFIX}${list}:${owner}`, until, id)
  }
  await pipeline.exec()
}
