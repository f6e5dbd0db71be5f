-- include: now_ms, iso8601
-- args: tokens[]
-- Writes tokens of clients that act for themselves, each once. They have no family, so no other key is looked at.
-- KEYS  the tokens; in a Cluster one
-- ARGV  tokens: for each time to live in seconds, jti, scope, client_id, number of further arguments; then those: field,
--       value, …
-- Result  'ok'
local now, instants, at = now_ms(), {}, tokens_first
for _, token in ipairs(KEYS) do
  local ttl, more = ARGV[at], tonumber(ARGV[at + 4])
  if redis.call('HLEN', token) == 0 then
    local expires = now + tonumber(ttl) * 1000
    instants[ttl] = instants[ttl] or iso8601(expires)
    redis.call(
      'HSET', token,
      'jti', ARGV[at + 1],
      'type', 'access_token',
      'subject', '',
      'scope', ARGV[at + 2],
      'client_id', ARGV[at + 3],
      'expires_at', instants[ttl],
      'revoked', 'false'
    )
    if more > 0 then
      redis.call('HSET', token, unpack(ARGV, at + 5, at + 4 + more))
    end
    redis.call('PEXPIREAT', token, expires)
  end
  at = at + 5 + more
end
return 'ok'
