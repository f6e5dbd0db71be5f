-- include: iso8601
-- Writes a token record with the owner's subject and client_id. It expires at `expires`, in milliseconds since 1970, which
-- `expires_text` is as an argument. An empty `audience` is not written.
local function write_token(key, jti, token_type, owner, scope, audience, expires, expires_text)
  redis.call(
    'HSET', key,
    'jti', jti,
    'type', token_type,
    'subject', owner.subject or '',
    'scope', scope,
    'client_id', owner.client_id,
    'expires_at', iso8601(expires),
    'revoked', 'false'
  )
  if audience ~= '' then
    redis.call('HSET', key, 'audience', audience)
  end
  redis.call('PEXPIREAT', key, expires_text)
end
