-- include: add_field
-- Appends to a list of field, value, … what an access token is for in detail (RFC 9396): what its request asks for, or all
-- of the code or grant. None are not appended.
local function append_details(list, asked, owner)
  local details = asked ~= '' and asked or owner.authorization_details
  if details then
    add_field(list, 'authorization_details', details)
  end
end
