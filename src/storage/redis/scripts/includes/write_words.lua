-- Makes the words of a record those of a text: ARGV from `first` to `last` has 1 if the key is one of KEYS, the id of the
-- record, and the text, a space before each word; empty: the record is not found by words. For each word there is an
-- entry, `1` or `2`, the text from the word on, what was before it, and the id; and there is one, `0` with the id, that has
-- the text. Returns whether that was changed.
local function write_words(key, first, last)
  if not key or last < first then
    return 0
  end
  local id, text = ARGV[first + 1], ARGV[first + 2]
  local function entries_of(found)
    local entries = { '0' .. id .. '\0' .. found }
    for at in string.gmatch(found, '() ') do
      entries[#entries + 1] = at == 1 and '1' .. found .. '\0' .. id
        or '2' .. string.sub(found, at) .. '\1' .. string.sub(found, 1, at - 1) .. '\0' .. id
    end
    return entries
  end
  local has, others = false, {}
  for _, entry in ipairs(redis.call('ZRANGEBYLEX', key, '[0' .. id .. '\0', '(0' .. id .. '\1')) do
    local found = string.sub(entry, #id + 3)
    if found == text then
      has = true
    else
      others[#others + 1] = found
    end
  end
  local is_new = text ~= '' and not has
  -- ZADD comes first, because it fails if memory is full. No two texts of a record share an entry.
  if is_new then
    for _, entry in ipairs(entries_of(text)) do
      redis.call('ZADD', key, 0, entry)
    end
  end
  for _, found in ipairs(others) do
    redis.call('ZREM', key, unpack(entries_of(found)))
  end
  return (is_new or #others > 0) and 1 or 0
end
