-- include: assert_writable, read_hash, read_fields, values_of, now_ms, iso8601, is_live, end_of_use, secret_of, state_of
-- include: spent_token, add_field, further_spending, forget_spent_token, has_name, is_same_scope, revoke_family
-- include: write_token, add_to_index, is_granted_target, part_of_scope, append_binding, append_details, use_once, whole_number, ms_argument, note_jwt
-- fields: GRANT_FACTS, SPENDING_FIELDS
-- args: operation, client_id, allowed, retry_window, access_ttl, max_live, digest, access_jti, successor_jti, answered
-- args: asked?, idle_ttl?, jkt?, x5t?, binds_refresh?, resource?, audience?, refresh_scope?, ttls?, again?, details?, noted?
-- Uses a refresh token: replaces it by its successor, or keeps it in use without one; writes the access token. The record
-- moves to the successor, and the grant notes how the token was spent. Within the retry window it gets the same answer
-- again, until its successor is presented. Any other spent token is reused: its family is revoked. All checks come before
-- the first write. docs/decisions/0075 has the states of a token and the rows; src/storage/memory/refresh-token.ts is the
-- same.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the successor
--       (or the token itself, if it stays in use), the access token (or none), then the ids that may be used once, then
--       where a JWT is noted
-- ARGV  again: '1' if it was sent before, asked: the requested scope (or empty: all), allowed: the scope that the client may
--       obtain, refresh_scope: the scope that the token needs (or empty), retry_window in seconds, idle_ttl: the lifetime
--       of an unused refresh token (or empty) and access_ttl of the access token in seconds, max_live: how many live tokens
--       a family can have, digest: of the part that the refresh tokens of the family share, access_jti: empty for a JWT,
--       successor_jti: empty: the token stays in use, answered: how the access token is issued, for a retry, resource: what
--       the access token is for (or empty), audience, ttls: the seconds that the ids are kept, separated by spaces, jkt and
--       x5t: the thumbprints of the DPoP key and the certificate that the access token is bound to (or empty),
--       binds_refresh: '1' if the successor is bound, too, details: of the access token (empty: those of the grant; '?':
--       tell those of the grant, and change nothing), noted: as note_jwt
-- Result  {'ok', scope, the family: its values for GRANT_FACTS (false: it has none), and if the token was spent before:
--         operation that spent it, how its access token was issued} | {'mismatch'} | {'scope'} | {'missing'} | {'withdrawn'}
--         | {'target', the resources of the grant} | {'reused', '1' if mark-revoked must mark more tokens}
--         | {'details', those of the grant} | {'retry_details'} | {'key'} | {'retry_key'} | {'used', the position of the
--         first id that was used before, from 0 on}
local token_key, family_key, index_key, mark_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local access_key = access_jti ~= '' and KEYS[6] or nil
local is_again, window, rotates = again == '1', tonumber(retry_window) * 1000, successor_jti ~= ''

-- An answer without a write of its own: it must not come from a server that accepts none.
local function unchanged(...)
  assert_writable(index_key)
  return { ... }
end

local token, secret = read_hash(token_key), secret_of(token_key)
-- To replace a token takes few of the fields, and it is the texts that cost time here.
local family = token.type and rotates and read_fields(family_key, SPENDING_FIELDS) or read_hash(family_key)
local state = state_of(token, family, token_key, digest)
local is_repeated = state == 'just_spent' and family.spent_by == operation
if not is_repeated and redis.call('EXISTS', mark_key) == 1 then
  return unchanged('withdrawn')
end
local now = now_ms()
local refresh_until, left = whole_number(family.refresh_until), redis.call('PTTL', family_key)
if family.status ~= 'active' or left < 0 then
  return unchanged('missing')
end
if is_again then
  -- The first copy may arrive later, when this token is not the latest spent one any more; it must not count as reuse.
  redis.call('SET', mark_key, 'again', 'PX', 600000)
end
-- A family without user or auth_time, or with another user than the token, was edited by hand: it is refused.
if not refresh_until or not whole_number(family.auth_time) or (family.subject or '') == '' then
  return unchanged('missing')
end

-- Owner, key, resource and scope. Returns the scope of the access token; or nil, and the refusal.
local function check(presented)
  if presented.type ~= 'refresh_token' or presented.subject ~= family.subject then
    return nil, { 'missing' }
  end
  if presented.client_id ~= client_id then
    return nil, { 'mismatch' }
  end
  -- RFC 9449 section 5, RFC 8705 section 4.
  if (presented.jkt or jkt) ~= jkt or (presented['x5t#S256'] or x5t) ~= x5t then
    return nil, { 'key' }
  end
  local granted = presented.scope or ''
  if refresh_scope ~= '' and not has_name(granted, refresh_scope) then
    return nil, { 'missing' }
  end
  if not is_granted_target(family.resource or '', resource) then
    return nil, { 'target', family.resource or '' }
  end
  if details == '?' then
    return nil, { 'details', family.authorization_details or '' }
  end
  for name in string.gmatch(asked, '%S+') do
    -- RFC 6749 section 6: the scope must not exceed the one that the user granted.
    if not has_name(granted, name) then
      return nil, { 'scope' }
    end
  end
  return part_of_scope(string.find(asked, '%S') and asked or granted, allowed)
end

-- The transition *spend*: the record moves to the successor, and the grant notes the spending. `further`: what it knows
-- of the token that was spent before.
local function spend(scope, expires_at, use_ends_at, further)
  local moved, bound = { 'jti', successor_jti }, {}
  local function bind(field, thumbprint)
    if binds_refresh == '1' and thumbprint ~= '' and not token[field] then
      add_field(moved, field, thumbprint)
      bound[#bound + 1] = field
    end
  end
  bind('jkt', jkt)
  bind('x5t#S256', x5t)
  local noted = {
    'refresh_token', secret_of(KEYS[5]), 'spent_token', secret, 'spent_at', ms_argument(now), 'spent_by', operation,
    'answered', answered
  }
  local function note(field, value, is_usual)
    if not is_usual then
      add_field(noted, field, value)
    end
  end
  -- What a retry must repeat.
  note('spent_scope', scope, scope == (token.scope or ''))
  note('spent_resource', resource, resource == '')
  note('spent_details', details, details == '')
  note('spent_jkt', jkt, jkt == '')
  note('spent_x5t#S256', x5t, x5t == '')
  -- What a withdrawal must undo.
  if token.expires_at ~= expires_at then
    add_field(noted, 'spent_until', redis.call('ZSCORE', index_key, token_key) or '')
  end
  note('spent_bound', table.concat(bound, ' '), #bound == 0)
  if #further > 0 then
    redis.call('HDEL', family_key, unpack(further))
  end
  redis.call('HSET', family_key, unpack(noted))
  redis.call('RENAME', token_key, KEYS[5])
  -- RENAME keeps the lifetime.
  if token.expires_at ~= expires_at then
    add_field(moved, 'expires_at', expires_at)
    redis.call('PEXPIREAT', KEYS[5], use_ends_at)
  end
  redis.call('HSET', KEYS[5], unpack(moved))
end

-- The transition *keep*: the token stays in use, and one that was spent before is an earlier one now.
local function keep(expires_at, use_ends_at)
  if idle_ttl ~= '' then
    redis.call('HSET', token_key, 'expires_at', expires_at)
    redis.call('PEXPIREAT', token_key, use_ends_at)
  end
  forget_spent_token(family_key, family, secret)
  -- A rotation notes the time of its use as spent_at.
  local minute = ms_argument(now - now % 60000)
  if family.last_used_at ~= minute then
    redis.call('HSET', family_key, 'last_used_at', minute)
  end
end

-- The transition *end*.
local function reused()
  -- It may have run before, and a retry may have used its answer since; a new attempt decides.
  if is_again then
    return unchanged('withdrawn')
  end
  -- Before the first write, because it fails if the index has a wrong type.
  assert_writable(index_key)
  return { 'reused', revoke_family(family_key, index_key) }
end

local rows = {}

function rows.live()
  local scope, refusal = check(token)
  if refusal then
    return unchanged(unpack(refusal))
  end
  local use_ends = end_of_use(now, refresh_until, idle_ttl)
  local expires_at = iso8601(use_ends)
  -- The same expiry as before needs no check, as it is that of the family.
  local is_unexpired = token.expires_at == expires_at or is_live(token.expires_at, now)
  if token.revoked ~= 'false' or now > refresh_until or not is_unexpired then
    return unchanged('missing')
  end
  -- The same operation ran before; one that rotates has spent the token.
  if access_key and not rotates and redis.call('EXISTS', access_key) == 1 then
    return unchanged('ok', scope, values_of(family, GRANT_FACTS))
  end
  local kept_until = now + math.floor(access_ttl * 1000)
  local access_ends_at, use_ends_at
  -- What joins the index: expiry, key, …
  local added = {}
  if rotates or idle_ttl ~= '' then
    use_ends_at = ms_argument(use_ends)
    add_field(added, use_ends_at, KEYS[5])
  end
  if access_key then
    access_ends_at = ms_argument(kept_until)
    add_field(added, access_ends_at, access_key)
  end
  local further = further_spending(family)
  -- Fails before the first write if the index has a wrong type.
  local size = redis.call('ZCARD', index_key)
  if ttls ~= '' or not rotates or #further > 0 then
    -- Otherwise the first write is one that fails if memory is full.
    assert_writable(index_key)
  end
  -- The last check, so that a request without a refresh token that can be used stores no ids.
  local used = use_once(access_key and 7 or 6, ttls, operation, client_id)
  if used then
    return { 'used', used }
  end
  note_jwt(KEYS[#KEYS], noted, kept_until)
  if rotates then
    spend(scope, expires_at, use_ends_at, further)
  else
    keep(expires_at, use_ends_at)
  end
  if access_key then
    local fields = {}
    append_binding(fields, jkt, x5t)
    append_details(fields, details, family)
    write_token(access_key, access_jti, 'access_token', token, scope, audience, kept_until, access_ends_at, fields)
  end
  local is_new_index = false
  if #added > 0 then
    is_new_index = add_to_index(index_key, size, added, rotates and token_key, now, tonumber(max_live))
  end
  if use_ends_at then
    kept_until = math.max(use_ends, kept_until)
  end
  -- The grant record must outlive a JWT, which has no record of its own.
  local grant_ends = math.max(now + left, kept_until)
  if now + left < grant_ends then
    redis.call('PEXPIREAT', family_key, grant_ends)
  end
  if now + left < grant_ends or is_new_index then
    redis.call('PEXPIREAT', index_key, grant_ends)
  end
  return { 'ok', scope, values_of(family, GRANT_FACTS) }
end

-- Its successor was not presented yet: that would have been a later refresh. The transition is *repeat*, or *end*.
function rows.just_spent()
  local presented = spent_token(family, token_key)
  local scope, refusal = check(presented)
  if refusal then
    return unchanged(unpack(refusal))
  end
  assert_writable(index_key)
  local spent_at, by, issued = tonumber(family.spent_at), family.spent_by or '', family.answered or ''
  if not spent_at or by == '' or issued == '' then
    return { 'missing' }
  end
  local first_scope = family.spent_scope or presented.scope or ''
  local answer = { 'ok', first_scope, values_of(family, GRANT_FACTS), by, issued }
  -- The same operation again gets the same answer.
  if is_repeated then
    return answer
  end
  if now - spent_at >= window then
    return reused()
  end
  if now > refresh_until then
    return { 'missing' }
  end
  -- A retry for something else than the first attempt would need a second access token.
  if (family.spent_resource or '') ~= resource then
    return { 'target', family.spent_resource or '' }
  end
  if (family.spent_jkt or '') ~= jkt or (family['spent_x5t#S256'] or '') ~= x5t then
    return { 'retry_key' }
  end
  if not is_same_scope(scope, first_scope) then
    return { 'scope' }
  end
  if (family.spent_details or '') ~= details then
    return { 'retry_details' }
  end
  local used = use_once(access_key and 7 or 6, ttls, operation, client_id)
  if used then
    return { 'used', used }
  end
  redis.call('HSET', family_key, 'retried', 'true')
  return answer
end

function rows.earlier()
  return family.client_id == client_id and reused() or unchanged('mismatch')
end

function rows.unknown()
  return unchanged('missing')
end

return rows[state]()
