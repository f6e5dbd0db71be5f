-- include: join_lists
-- args: lists[]
-- Adds entries to lists.
-- KEYS  the lists
-- ARGV  lists: for each the end of the record in milliseconds since 1970, and its id
-- Result  'ok'
join_lists(1, lists_first, lists_last)
return 'ok'
