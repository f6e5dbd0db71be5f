-- Formats milliseconds since 1970 as ISO 8601: 2026-11-21T10:15:30.123Z. Scripts in Redis have no os.date.
-- Years begin on 1 March, so that the leap day is the last day of a year. Not math.floor, which costs as much as a call.
local function iso8601(ms)
  local of_day = ms % 86400000
  local day = (ms - of_day) / 86400000 - 11017 -- since 2000-03-01
  local rest = 4 * day + 3
  local century = (rest - rest % 146097) / 146097
  rest = 146097 * century
  rest = 4 * (day - (rest - rest % 4) / 4) + 3
  local year = (rest - rest % 1461) / 1461
  local of_year = (rest % 1461 - rest % 1461 % 4) / 4
  rest = 5 * of_year + 2
  local month = (rest - rest % 153) / 153 -- 0 is March
  local second = (of_day - of_day % 1000) / 1000
  local minute = (second - second % 60) / 60
  return string.format(
    '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ',
    2000 + 100 * century + year + (month >= 10 and 1 or 0),
    month >= 10 and month - 9 or month + 3,
    (rest % 153 - rest % 153 % 5) / 5 + 1,
    (minute - minute % 60) / 60, minute % 60, second % 60, of_day % 1000
  )
end
