-- include: iso8601
-- Whether an instant in the spelling of iso8601 is not over; any other spelling counts as over.
local function is_live(expires_at, now)
  local form = '^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$'
  return expires_at ~= nil and string.match(expires_at, form) ~= nil and expires_at >= iso8601(now)
end
