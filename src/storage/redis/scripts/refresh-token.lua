-- include: assert_writable, read_hash, now_ms, ms_argument, iso8601, is_live, end_of_use, secret_of, token_with
-- include: has_name, scope_names, is_earlier_token, keep_until, revoke_family, write_token, add_to_family, append
-- include: is_granted_target, part_of_scope, bind_token, use_once, whole_number
-- args: operation, again, client_id, asked, allowed, refresh_scope, retry_window, idle_ttl, access_ttl, max_live
-- args: digest, access_jti, successor_jti, resource, audience, ttls, jkt, x5t, binds_refresh, sealed[]
-- Uses a refresh token: replaces it by its successor, or keeps it in use without one; writes the access token. A token
-- that was spent within the retry window gets the same answer again, until its successor is presented. Any other spent
-- token is reused: its family is revoked. All checks come before the first write.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the successor
--       (or the token itself, if it stays in use), the access token (or none), then the ids that may be used once
-- ARGV  again: '1' if it was sent before, asked: the requested scope (or empty: all), allowed: the scope that the client may
--       obtain, refresh_scope: the scope that the token needs (or empty), retry_window in seconds, idle_ttl: the lifetime
--       of an unused refresh token (or empty) and access_ttl of the access token in seconds, max_live: how many live tokens
--       a family can have, digest: of the part that the refresh tokens of the family share, access_jti: empty for a JWT,
--       successor_jti: empty: the token stays in use, resource: what the access token is for (or empty), audience, ttls: the
--       seconds that the ids are kept, separated by spaces, jkt and x5t: the thumbprints of the DPoP key and the
--       certificate that the access token is bound to (or empty), binds_refresh: '1' if the successor is bound, too,
--       sealed: the sealed answer: field, value, … (none: the token stays in use)
-- Result  {'ok', scope, the family: {field, value, …}, and if the token was spent before: operation that spent it,
--         sealed successor, sealed access token, how that was issued} | {'mismatch'} | {'scope'} | {'missing'}
--         | {'withdrawn'} | {'target', the resources of the grant} | {'reused', '1' if mark-revoked must mark more tokens}
--         | {'key'} | {'retry_key'} | {'used', the position of the first id that was used before, from 0 on}
local token_key, family_key, index_key, mark_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local access_key = access_jti ~= '' and KEYS[6] or nil
local is_again, window, rotates = again == '1', tonumber(retry_window) * 1000, sealed_first <= sealed_last
assert_writable(index_key)
local token, secret = read_hash(token_key), secret_of(token_key)
local family, family_fields = read_hash(family_key)
if token.spent_by ~= operation and redis.call('EXISTS', mark_key) == 1 then
  return { 'withdrawn' }
end
local now = now_ms()
local refresh_until, left = whole_number(family.refresh_until), redis.call('PTTL', family_key)
if family.status ~= 'active' or left < 0 then
  return { 'missing' }
end
if is_again then
  -- The first copy may arrive later, when this token has no record any more; it must not count as reuse.
  redis.call('SET', mark_key, 'again', 'PX', 600000)
end
-- A family without user or auth_time, or with another user than the token, was edited by hand: it is refused.
if not refresh_until or not whole_number(family.auth_time) or (family.subject or '') == '' then
  return { 'missing' }
end

local function reused()
  -- It may have run before, and a retry may have used its answer since; a new attempt decides.
  if is_again then
    return { 'withdrawn' }
  end
  return { 'reused', revoke_family(family_key, index_key) }
end

if not token.type then
  if not is_earlier_token(family, token_key, digest) then
    return { 'missing' }
  end
  return family.client_id == client_id and reused() or { 'mismatch' }
end
if token.type ~= 'refresh_token' or token.subject ~= family.subject then
  return { 'missing' }
end
if token.client_id ~= client_id then
  return { 'mismatch' }
end
-- RFC 9449 section 5, RFC 8705 section 4.
if (token.jkt or jkt) ~= jkt or (token['x5t#S256'] or x5t) ~= x5t then
  return { 'key' }
end

local granted, is_granted = scope_names(token.scope or '')
if refresh_scope ~= '' and not is_granted[refresh_scope] then
  return { 'missing' }
end
if not is_granted_target(family.resource or '', resource) then
  return { 'target', family.resource or '' }
end
local asked_names = scope_names(asked)
for _, name in ipairs(asked_names) do
  -- RFC 6749 section 6: the scope must not exceed the one that the user granted.
  if not is_granted[name] then
    return { 'scope' }
  end
end
local asked_scope = part_of_scope(#asked_names > 0 and asked or token.scope or '', allowed)
-- The scope of the answer: a retry gets that of the first attempt.
local scope = token.issued and (token.issued_scope or token.scope or '') or asked_scope

local function answer()
  if not token.spent_by then
    return { 'ok', scope, family_fields }
  end
  return { 'ok', scope, family_fields, token.spent_by, token.successor, token.access_token, token.issued }
end

-- Whether the successor of this spent token was presented: then the family knows another spent token, or its latest
-- refresh token was spent by an earlier version of redmint, which does not note that in the family. A token that such a
-- version spent is no predecessor of the latest one if that is in use or was spent later.
local function successor_is_used(spent_at)
  local latest = family.refresh_token and read_hash(token_with(token_key, family.refresh_token)) or {}
  if token.issued then
    return family.spent_token ~= secret or latest.spent_at ~= nil
  end
  return latest.revoked == 'false' or spent_at < (tonumber(latest.spent_at) or 0)
end

-- The last check, so that a request without a refresh token that can be used stores no ids.
local function use_up()
  return use_once(access_key and 7 or 6, ttls, operation, client_id)
end

local is_spent = token.spent_at ~= nil
if is_spent then
  local spent_at = tonumber(token.spent_at)
  if not spent_at or (token.spent_by or '') == '' or (token.successor or '') == '' then
    return { 'missing' }
  end
  -- The same operation again gets the same answer.
  if token.spent_by == operation or (access_key and redis.call('EXISTS', access_key) == 1) then
    return answer()
  end
  if now - spent_at >= window or successor_is_used(spent_at) then
    return reused()
  end
  if now > refresh_until then
    return { 'missing' }
  end
  -- A retry for something else than the first attempt would need a second access token.
  if (token.issued_resource or '') ~= resource then
    return { 'target', token.issued_resource or '' }
  end
  if (token.issued_jkt or '') ~= jkt or (token['issued_x5t#S256'] or '') ~= x5t then
    return { 'retry_key' }
  end
  if not is_same_scope(asked_scope, scope) then
    return { 'scope' }
  end
  local used = use_up()
  if used then
    return { 'used', used }
  end
  redis.call('HSET', token_key, 'retried', 'true')
  if token.issued then
    return answer()
  end
elseif token.revoked ~= 'false' or now > refresh_until or not is_live(token.expires_at, now) then
  return { 'missing' }
elseif access_key and not rotates and redis.call('EXISTS', access_key) == 1 then
  -- The same operation ran before; one that rotates has spent the token.
  return answer()
end
if not is_spent then
  local used = use_up()
  if used then
    return { 'used', used }
  end
end

-- What joins the index: expiry, key, …
local added = {}
local function issue(key, jti, token_type, granted_scope, audience, expires)
  local expires_text = ms_argument(expires)
  write_token(key, jti, token_type, token, granted_scope, audience, expires, expires_text)
  append(added, { expires_text, key })
end
local use_ends, now_text = end_of_use(now, refresh_until, idle_ttl), ms_argument(now)
if not is_spent then
  -- The predecessor cannot be retried any more, and is recognised without a record.
  if family.spent_token and family.spent_token ~= secret then
    redis.call('DEL', token_with(token_key, family.spent_token))
  end
  if rotates then
    local spent = {
      'revoked', 'true', 'spent_at', now_text, 'spent_by', operation,
      'usable_until', redis.call('ZSCORE', index_key, token_key) or '', unpack(ARGV, sealed_first)
    }
    if scope ~= (token.scope or '') then
      append(spent, { 'issued_scope', scope })
    end
    if resource ~= '' then
      append(spent, { 'issued_resource', resource })
    end
    if jkt ~= '' then
      append(spent, { 'issued_jkt', jkt })
    end
    if x5t ~= '' then
      append(spent, { 'issued_x5t#S256', x5t })
    end
    redis.call('HSET', token_key, unpack(spent))
    -- Kept for a retry and for a withdrawal of this operation.
    redis.call('PEXPIREAT', token_key, ms_argument(now + math.min(left, math.max(window, 600000))))
    redis.call('ZREM', index_key, token_key)
    issue(KEYS[5], successor_jti, 'refresh_token', token.scope or '', '', use_ends)
    -- What binds the presented token is among what the request came with.
    if binds_refresh == '1' then
      bind_token(KEYS[5], jkt, x5t)
    else
      bind_token(KEYS[5], token.jkt or '', token['x5t#S256'] or '')
    end
    redis.call('HSET', family_key, 'refresh_token', secret_of(KEYS[5]), 'spent_token', secret)
    local digests = family.refresh_digest or ''
    if not has_name(digests, digest) then
      -- The shared part is new if another version of redmint issued this token. Eight digests are kept.
      local latest = string.sub(digest .. ' ' .. digests, 1, 8 * 44 - 1)
      redis.call('HSET', family_key, 'refresh_digest', string.match(latest, '^(.-) ?$'))
    end
  else
    if idle_ttl ~= '' then
      redis.call('HSET', token_key, 'expires_at', iso8601(use_ends))
      redis.call('PEXPIREAT', token_key, use_ends)
      redis.call('ZADD', index_key, use_ends, token_key)
      keep_until(index_key, use_ends, now)
    end
    if family.refresh_token and family.refresh_token ~= secret then
      redis.call('HSET', family_key, 'refresh_token', secret)
    end
    if family.spent_token then
      redis.call('HDEL', family_key, 'spent_token')
    end
  end
end
local kept_until = now + tonumber(access_ttl) * 1000
if access_key then
  issue(access_key, access_jti, 'access_token', scope, audience, kept_until)
  bind_token(access_key, jkt, x5t)
end
if #added > 0 then
  add_to_family(index_key, added, now_text, max_live)
  kept_until = math.max(tonumber(added[1]), kept_until)
end
-- The grant record must outlive a JWT, which has no record of its own.
if now + left < kept_until then
  redis.call('PEXPIREAT', family_key, ms_argument(kept_until))
end
keep_until(index_key, kept_until, now)
return answer()
