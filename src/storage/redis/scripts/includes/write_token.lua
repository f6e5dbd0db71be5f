-- include: iso8601, add_field
-- Writes a token record with the owner's subject and client_id, and `further` fields: a list of field, value, … that it
-- adds to. It expires at `expires`, in milliseconds since 1970, which `expires_text` is as an argument. An empty `audience`
-- is not written.
local function write_token(key, jti, token_type, owner, scope, audience, expires, expires_text, further)
  if audience ~= '' then
    add_field(further, 'audience', audience)
  end
  redis.call(
    'HSET', key,
    'jti', jti,
    'type', token_type,
    'subject', owner.subject or '',
    'scope', scope,
    'client_id', owner.client_id,
    'expires_at', iso8601(expires),
    'revoked', 'false',
    unpack(further)
  )
  redis.call('PEXPIREAT', key, expires_text)
end
