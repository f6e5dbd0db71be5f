-- Formats milliseconds since 1970 as ISO 8601: 2026-11-21T10:15:30.123Z. Scripts in Redis have no os.date.
-- Years begin on 1 March, so that the leap day is the last day of a year.
local function iso8601(ms)
  local floor = math.floor
  local day = floor(ms / 86400000) - 11017 -- since 2000-03-01
  local century = floor((4 * day + 3) / 146097)
  day = day - floor(146097 * century / 4)
  local year = floor((4 * day + 3) / 1461)
  day = day - floor(1461 * year / 4)
  local month = floor((5 * day + 2) / 153) -- 0 is March
  day = day - floor((153 * month + 2) / 5) + 1
  year = 2000 + 100 * century + year + (month >= 10 and 1 or 0)
  month = month >= 10 and month - 9 or month + 3
  local second = floor(ms / 1000) % 86400
  return string.format(
    '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ',
    year, month, day, floor(second / 3600), floor(second / 60) % 60, second % 60, ms % 1000
  )
end
