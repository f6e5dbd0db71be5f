-- Helpers put in front of every script. A script that fails half way would leave its first writes behind,
-- so everything that can fail (a wrong type, a missing value) is looked at before the first write.

-- A hash as a table; empty where there is no such key.
local function read_hash(key)
  local flat, hash = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    hash[flat[i]] = flat[i + 1]
  end
  return hash
end

-- Writes nothing, and fails where a write would. A replica, or a master that was cut off, may be behind, so it
-- must not say that something is missing. An index of a wrong type fails here too, and not half way.
local function assert_writable(index_key)
  redis.call('ZADD', index_key, 'XX', 0, '')
end

-- The same for a hash, when it is about to be called missing. Not before: a script that has begun to write may go on
-- where memory is full, and then not even this would stop it.
local function assert_writable_hash(key)
  redis.call('HDEL', key, '')
end

-- Milliseconds since 1970 by the clock of Redis, which is the same for all replicas of redmint.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Milliseconds as an argument: Lua would write large numbers with an exponent.
local function ms_argument(ms)
  return string.format('%.0f', ms)
end

-- ISO 8601 of milliseconds since 1970: 2026-11-21T10:15:30.123Z. Redis gives scripts no os.date.
-- Years are counted from 1 March, so that the leap day is a year's last day.
local function iso8601(ms)
  local day = math.floor(ms / 86400000) - 11017 -- since 2000-03-01
  local century = math.floor((4 * day + 3) / 146097)
  day = day - math.floor(146097 * century / 4)
  local year = math.floor((4 * day + 3) / 1461)
  day = day - math.floor(1461 * year / 4)
  local month = math.floor((5 * day + 2) / 153) -- 0 is March
  day = day - math.floor((153 * month + 2) / 5) + 1
  year = 2000 + 100 * century + year + (month >= 10 and 1 or 0)
  month = month >= 10 and month - 9 or month + 3
  local second = math.floor(ms / 1000) % 86400
  return string.format(
    '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ',
    year, month, day, math.floor(second / 3600), math.floor(second / 60) % 60, second % 60, ms % 1000
  )
end

-- Writes a token record that lives until `expires` (milliseconds since 1970).
local function write_token(key, token, expires)
  redis.call(
    'HSET', key,
    'jti', token.jti,
    'type', token.type,
    'subject', token.subject,
    'scope', token.scope,
    'expires_at', iso8601(expires),
    'revoked', token.revoked,
    'client_id', token.client_id
  )
  redis.call('PEXPIREAT', key, ms_argument(expires))
end

-- Writes a hash that lives for `ttl` seconds: field, value, …
local function write_for(key, ttl, ...)
  redis.call('HSET', key, ...)
  redis.call('PEXPIREAT', key, ms_argument(now_ms() + tonumber(ttl) * 1000))
end

-- Lets a key live until `expires`, or longer where it already does.
local function keep_until(key, expires)
  if redis.call('PTTL', key) < expires - now_ms() then
    redis.call('PEXPIREAT', key, ms_argument(expires))
  end
end

-- A queue that nobody works on any more goes away after a day, when what is in it was due.
local function keep_queue(key, now, due)
  keep_until(key, math.max(now, due) + 86400000)
end

-- Adds a token to the index of its grant; grant and index live at least as long as the token.
local function add_to_family(grant_key, index_key, token_key, expires)
  redis.call('ZADD', index_key, ms_argument(expires), token_key)
  keep_until(index_key, expires)
  keep_until(grant_key, expires)
end

-- Whether an instant in the spelling of iso8601 is not over; any other spelling counts as over.
local function is_live(expires_at, now)
  local form = '^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$'
  return expires_at ~= nil and string.match(expires_at, form) ~= nil and expires_at >= iso8601(now)
end

local function is_hash(key)
  return redis.call('TYPE', key).ok == 'hash'
end

-- Marks a grant and every token of it revoked. What has expired stays away.
local function revoke_family(grant_key, index_key)
  local token_keys = redis.call('ZRANGE', index_key, 0, -1)
  if is_hash(grant_key) then
    redis.call('HSET', grant_key, 'status', 'revoked')
  end
  for _, token_key in ipairs(token_keys) do
    if is_hash(token_key) then
      redis.call('HSET', token_key, 'revoked', 'true')
    end
  end
end

-- When a refresh token ends that is used now: with its family, or sooner where nobody uses it.
local function end_of_use(now, refresh_until, idle_ttl)
  if idle_ttl == '' then
    return refresh_until
  end
  return math.min(refresh_until, now + tonumber(idle_ttl) * 1000)
end

-- Lets an operation do nothing that has not run yet. It is on its way, so it is soon or never; and where the
-- record is gone that it is about, there is nothing left for it to do.
local function mark_withdrawn(mark_key, record_key)
  local left = redis.call('PTTL', record_key)
  if left > 0 then
    redis.call('SET', mark_key, '', 'PX', math.min(left, 600000))
  end
end
