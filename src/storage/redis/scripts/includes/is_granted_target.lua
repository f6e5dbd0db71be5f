-- include: has_name
-- Whether a token may be for the resources that a request names, of those that its grant names (RFC 8707 section 2.2).
-- Both are lists of ids, separated by spaces. A grant for resources needs a request that names some.
local function is_granted_target(granted, asked)
  if asked == '' then
    return granted == ''
  end
  for id in string.gmatch(asked, '%S+') do
    if not has_name(granted, id) then
      return false
    end
  end
  return true
end
