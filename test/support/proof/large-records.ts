// Very many records, written past redmint by scripts.
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
const GRANTS_OF_ONE = 10_000
const AT_A_TIME = 1000
const DAY = 86_400_000
const STARTED = Date.now() - DAY

export const digits = (i: number) => String(i).padStart(7, '0')
export const emailOf = (i: number) => `person.${digits(i)}@mail.example.com`

/** Writes users `ARGV[2]` to `ARGV[3]`. ARGV  1 prefix, 4 odd, 5 now, 6 password hash */
const USERS = `
local prefix, odd, now = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local function add_words(kind, id, text)
  local key = prefix .. 'words:' .. kind
  redis.call('ZADD', key, 0, '0' .. id .. '\\0' .. text)
  for at in string.gmatch(text, '() ') do
    redis.call('ZADD', key, 0, at == 1 and '1' .. text .. '\\0' .. id
      or '2' .. string.sub(text, at) .. '\\1' .. string.sub(text, 1, at - 1) .. '\\0' .. id)
  end
end
for i = tonumber(ARGV[2]), tonumber(ARGV[3]) do
  local number = string.format('%07d', i)
  local username, email = 'user-' .. number, 'person.' .. number .. '@mail.example.com'
  redis.call('HSET', prefix .. 'user:' .. username, 'sub', 'sub-' .. number, 'name', 'Person ' .. i,
    'email', email, 'email_verified', 'true', 'password_hash', ARGV[6])
  if i % odd ~= 0 then
    redis.call('ZADD', prefix .. 'names:user', 0, username)
    add_words('user', username, ' person ' .. i .. ' user ' .. number .. ' mail example.com')
    redis.call('ZADD', prefix .. 'last-sign-ins', now - i, username)
    redis.call('HSET', prefix .. 'sign-in-name:' .. email, username, '1')
    redis.call('HSET', prefix .. 'sign-in-name:sub:sub-' .. number, username, '1')
  end
  if i % 10 == 0 then
    local client_id = string.format('app-%07d', i / 10)
    redis.call('HSET', prefix .. 'client:' .. client_id, 'client_name', 'App ' .. i, 'is_public', 'true',
      'redirect_uris', 'https://app-' .. i .. '.example.com/callback', 'allowed_scopes', 'openid profile',
      'grant_types', 'authorization_code refresh_token')
    redis.call('ZADD', prefix .. 'names:client', 0, client_id)
    add_words('client', client_id, string.format(' app %d %07d', i, i / 10))
  end
end`

/** Writes grants `ARGV[2]` to `ARGV[3]`. ARGV  1 prefix, 4 odd, 5 client_id, 6 grants of one, 7 started, 8 until */
const GRANTS = `
local prefix, odd, client_id, started, ends = ARGV[1], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[7]), tonumber(ARGV[8])
for i = tonumber(ARGV[2]), tonumber(ARGV[3]) do
  local owner = string.format('user-%07d', i < tonumber(ARGV[6]) and 1 or i)
  local family, at = string.format('family%07dabc', i), string.format('%.0f', started + i)
  redis.call('HSET', prefix .. 'grant:{' .. family .. '}', 'client_id', client_id, 'username', owner,
    'subject', 'sub-' .. owner, 'scope', 'openid profile', 'auth_time', string.format('%.0f', started / 1000),
    'status', 'active', 'sid', string.rep('s', 22), 'amr', 'pwd', 'started_at', at,
    'refresh_until', string.format('%.0f', ends + i - 86400000))
  if i % odd ~= 0 then
    for _, list in ipairs({ 'grants-of-user:' .. owner, 'grants-of-client:' .. client_id }) do
      redis.call('ZADD', prefix .. list, string.format('%.0f', ends + i), family .. ':' .. at)
    end
  end
end`

/** Runs a script that writes records, which is ten times as fast as to send them. */
async function fill(client: Redis, script: string, count: number, ...args: (string | number)[]) {
  for (let start = 0; start < count; start += AT_A_TIME) {
    const end = Math.min(start + AT_A_TIME, count) - 1
    await client.eval(script, 0, PREFIX, start, end, ODD, ...args)
  }
}

/** Writes users, and a client for each tenth, with all that is kept of them but for each thousandth user. */
export async function fillUsers(client: Redis, count: number): Promise<void> {
  const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$${'c'.repeat(22)}$${'h'.repeat(43)}`
  await fill(client, USERS, count, Date.now(), password_hash)
}

/** The latest end of a grant, as lists have it. */
export function endOfGrant(i: number): number {
  const grant = { family: '', started_at: STARTED + i, client_id: EVERYWHERE, username: '' }
  return grantListings(grant, (30 * DAY) / 1000)[0]?.until ?? Number.NaN
}

/** Writes grants of one client, with their lists but for each thousandth grant. */
export async function fillGrants(client: Redis, count: number): Promise<void> {
  await fill(client, GRANTS, count, EVERYWHERE, GRANTS_OF_ONE, STARTED, endOfGrant(0))
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
