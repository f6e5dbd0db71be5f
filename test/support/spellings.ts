// One name as keyboards, copied texts and other systems write it.

/** The name as it is stored. */
export const STORED = 'josé.kim@example.com'

/** What people take for it in the same case. */
export const SAME_CASE: Readonly<Record<string, string>> = {
  decomposed: 'jose\u0301.kim@example.com',
  'full width': 'ｊｏｓé．ｋｉｍ＠ｅｘａｍｐｌｅ．ｃｏｍ',
  'wide spaces': '\u3000josé.kim@example.com\u00A0',
  'a space of a phone': 'josé.kim@example.com ',
  'zero width': 'jo\u200Bsé.kim@\u200Dexample.com\uFEFF',
  'soft hyphen': 'josé.kim@exam\u00ADple.com',
  'direction marks': '\u202Ajosé.kim@example.com\u202C',
  fillers: 'josé\u3164.kim@example\u115F.com',
  'variation selector': 'josé.kim@example.com\uFE0F',
  'letters of mathematics': '\u{1D423}osé.kim@example.com',
}

/** The same in other cases, and with what looks like another case of a letter. */
export const OTHER_CASE: Readonly<Record<string, string>> = {
  'capital letters': 'JOSÉ.KIM@EXAMPLE.COM',
  'capital letters, decomposed': 'JOSE\u0301.Kim@example.com',
  'capital letters, full width': 'ＪＯＳÉ．ＫＩＭ＠example.com',
  'the sign of kelvin': 'josé.\u212Aim@example.com',
  'a Turkish capital letter': 'josé.k\u0130m@example.com',
  'what it is in lower case': 'josé.ki\u0307m@example.com',
}
