-- include: add_field
-- Appends to a list of field, value, … what tokens are bound to: the thumbprint of a DPoP key and that of a certificate.
local function append_binding(list, jkt, x5t)
  if jkt ~= '' then
    add_field(list, 'jkt', jkt)
  end
  if x5t ~= '' then
    add_field(list, 'x5t#S256', x5t)
  end
end
