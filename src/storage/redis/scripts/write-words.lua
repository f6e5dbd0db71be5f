-- include: write_words
-- args: words[]
-- Makes the words of a record those of a text.
-- KEYS  1 the words of its kind
-- ARGV  words: as write_words
-- Result  1 if they were others, else 0
return write_words(KEYS[1], words_first, words_last)
