-- include: iso8601
-- Whether a time in the format of iso8601 is not in the past; false for any other format.
local function is_live(expires_at, now)
  local form = '^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$'
  return expires_at ~= nil and string.match(expires_at, form) ~= nil and expires_at >= iso8601(now)
end
