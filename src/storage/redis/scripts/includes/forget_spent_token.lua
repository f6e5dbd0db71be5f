-- include: further_spending
-- Removes what a grant record notes of the refresh token that was spent, and notes the live one.
local function forget_spent_token(family_key, family, secret)
  if family.refresh_token ~= secret then
    redis.call('HSET', family_key, 'refresh_token', secret)
  end
  if family.spent_token then
    local fields = further_spending(family)
    redis.call('HDEL', family_key, 'spent_token', 'spent_at', 'spent_by', 'answered', unpack(fields))
  end
end
