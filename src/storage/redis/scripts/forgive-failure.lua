-- include: forget_failure
-- args: counters[]
-- Subtracts one failure from each counter. The end of their windows does not change.
-- KEYS  the bucket of each counter
-- ARGV  counters: for each, its field and the field of the shared counter, or empty
-- Result  'ok'
for i, bucket in ipairs(KEYS) do
  local at = counters_first + 2 * (i - 1)
  forget_failure(bucket, ARGV[at], ARGV[at + 1])
end
return 'ok'
