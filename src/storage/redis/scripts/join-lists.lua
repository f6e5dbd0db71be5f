-- include: join_lists
-- args: lists[]
-- Adds entries to lists.
-- KEYS  the lists
-- ARGV  lists: for each what join_lists reads
-- Result  how many of them are new
return join_lists(1, lists_first, lists_last)
