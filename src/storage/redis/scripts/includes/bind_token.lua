-- Adds to a token what it is bound to: the thumbprint of a DPoP key and that of a certificate. Empty ones are not written.
local function bind_token(key, jkt, x5t)
  if jkt ~= '' then
    redis.call('HSET', key, 'jkt', jkt)
  end
  if x5t ~= '' then
    redis.call('HSET', key, 'x5t#S256', x5t)
  end
end
