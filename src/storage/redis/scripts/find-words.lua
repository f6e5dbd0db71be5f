-- args: max, looks, small, after, words[]
-- Finds records by words that begin so. Those come first that are found by their first word, then those by another one; of
-- a kind with few records then those that have all that is looked for somewhere. It walks along the entries of the rarest
-- word, and looks whether each has the others, too.
-- KEYS  1 the words of a kind
-- ARGV  max: how many records at most, looks: how many entries it looks at, at most, small: how many records are few, after:
--       where the part before ended (or empty), words: those of the first reading, an empty one, those of the second
-- Result  where this part ended (empty: it was the last one), how many records have words, then the ids
local key = KEYS[1]
local readings, drivers = { {} }, {}
for i = words_first, words_last do
  if ARGV[i] == '' then
    readings[#readings + 1] = {}
  else
    table.insert(readings[#readings], ' ' .. ARGV[i])
  end
end
local function count(first, last)
  return redis.call('ZLEXCOUNT', key, '[' .. first, '(' .. last)
end
local all = count('0', '1')
local is_small = all <= tonumber(small)

-- Where a part ended: the rank, the reading, the driver of each reading, then the entry.
local rank, reading, resumed = 1, 1, nil
if after ~= '' then
  rank, reading, resumed = tonumber(string.sub(after, 1, 1)), tonumber(string.sub(after, 2, 2)), string.sub(after, 5)
end
for i, words in ipairs(readings) do
  local driver = after ~= '' and tonumber(string.sub(after, 2 + i, 2 + i))
  if not driver or not words[driver] then
    local least = math.huge
    for j, word in ipairs(words) do
      local those = count('1' .. word, '1' .. word .. '\255') + count('2' .. word, '2' .. word .. '\255')
      if those < least then
        driver, least = j, those
      end
    end
  end
  drivers[i] = driver
end
local head = drivers[1] .. (drivers[2] or 0)

local function has_words(text, words)
  for _, word in ipairs(words) do
    if not string.find(text, word, 1, true) then
      return false
    end
  end
  return true
end

-- Whether a record was found by the words of a reading before this one.
local function was_found(text, before)
  for i = 1, before do
    if has_words(text, readings[i]) then
      return true
    end
  end
  return false
end

local function has_parts(text)
  for _, words in ipairs(readings) do
    local has = true
    for _, word in ipairs(words) do
      -- One or two letters are in nearly every text.
      has = has and string.find(text, #word < 4 and word or string.sub(word, 2), 1, true)
    end
    if has then
      return true
    end
  end
  return false
end

local left, ids = tonumber(looks), {}
-- Walks along entries, and returns where it ended before the last one.
local function walk(from, to, id_if_found)
  while true do
    local asked = math.min(left, 200)
    if asked <= 0 then
      return string.sub(from, 2)
    end
    local entries = redis.call('ZRANGEBYLEX', key, from, to, 'LIMIT', 0, asked)
    left = left - #entries
    for _, entry in ipairs(entries) do
      local id = id_if_found(entry, string.find(entry, '\0', 1, true))
      if id then
        ids[#ids + 1] = id
        if #ids == tonumber(max) then
          return entry
        end
      end
    end
    if #entries < asked then
      return nil
    end
    from = '(' .. entries[#entries]
  end
end

while rank <= 2 do
  local words, driver = readings[reading], readings[reading][drivers[reading]]
  local first = rank .. driver
  local ended = walk(resumed and '(' .. resumed or '[' .. first, '(' .. first .. '\255', function(entry, zero)
    local text = string.sub(entry, 2, zero - 1)
    local before = string.find(text, '\1', 1, true)
    local is_again = before and string.find(text, driver, before, true)
    if is_again or not has_words(text, words) or was_found(text, reading - 1) then
      return nil
    end
    return string.sub(entry, zero + 1)
  end)
  if ended then
    return { rank .. reading .. head .. ended, all, unpack(ids) }
  end
  resumed = nil
  reading = reading + 1
  if reading > #readings then
    rank, reading = rank + 1, 1
  end
end
if is_small then
  left = tonumber(small)
  local ended = walk(resumed and '(' .. resumed or '[0', '(1', function(entry, zero)
    local text = string.sub(entry, zero + 1)
    return has_parts(text) and not was_found(text, #readings) and string.sub(entry, 2, zero - 1)
  end)
  if ended then
    return { '31' .. head .. ended, all, unpack(ids) }
  end
end
return { '', all, unpack(ids) }
