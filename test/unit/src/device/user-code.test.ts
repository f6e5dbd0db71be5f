// User codes: what devices show, and what people may type.
import t from 'tap'
import { newUserCode, readUserCode, shownUserCode } from '../../../../src/device/user-code.ts'

t.test('a user code has only letters that are no vowels and look like no other one', async (t) => {
  const codes = Array.from({ length: 2000 }, () => newUserCode())
  for (const code of codes) if (!/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code)) t.fail(code)
  const letters = new Map<string, number>()
  for (const letter of codes.join('')) letters.set(letter, (letters.get(letter) ?? 0) + 1)
  t.equal(letters.size, 20, 'all of them are used')
  // 800 of each are expected; six standard deviations are 166.
  for (const [letter, count] of letters) t.ok(count > 634 && count < 966, `${letter}: ${count}`)
  // Two are equal in one of 12,800 runs.
  t.ok(new Set(codes).size >= 1999)
})

t.test('a user code is read as people type it', async (t) => {
  for (const typed of [
    'WDJB-MJHT',
    'wdjbmjht',
    'Wdjb mjht',
    ' WDJB – MJHT ',
    'WD-JB-MJ-HT',
    'wdjb.mjht',
    'WDJB_MJHT',
    'WDJB\tMJHT',
    // Japanese keyboards: wide letters, and one of several lines in place of "-".
    'ＷＤＪＢ－ＭＪＨＴ',
    'ｗｄｊｂーｍｊｈｔ',
    'WDJBｰMJHT',
    '\u3000WDJB\u2212MJHT\u00A0',
    'WDJB\u2011MJHT',
    'WDJB\u200B\u2043MJHT\u00AD',
  ]) {
    t.equal(readUserCode(typed), 'WDJBMJHT', typed)
  }
})

t.test('a text that is not a user code is refused', async (t) => {
  for (const typed of [
    '',
    '-',
    'WDJB-MJH',
    'WDJB-MJHTX',
    'WDJB-MJHA',
    'WDJB-MJH0',
    'ВDJB-MJHT',
    'WDJB-MJHŤ',
    'WDJB/MJHT',
    `${'-'.repeat(100)}WDJBMJHT`,
    '__proto__',
  ]) {
    t.equal(readUserCode(typed), undefined, typed)
  }
})

t.test('a user code is shown in two parts, and read again', async (t) => {
  t.equal(shownUserCode('WDJBMJHT'), 'WDJB-MJHT')
  const code = newUserCode()
  t.equal(readUserCode(shownUserCode(code)), code)
})
