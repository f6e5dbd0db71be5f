// Texts that people type and see.
import t from 'tap'
import { codeForm, foldName, nameForm, visibleNameProblem } from '../../../../src/core/visible-text.ts'
import { OTHER_CASE, SAME_CASE, STORED } from '../../../support/spellings.ts'

// No character after it has another form or another case.
const LAST = 0x2fa1d

t.test('spellings of one name have one form, in any case', async (t) => {
  for (const [what, typed] of Object.entries(SAME_CASE)) {
    t.equal(nameForm(typed), STORED, what)
    t.equal(foldName(typed), STORED, what)
  }
  for (const [what, typed] of Object.entries(OTHER_CASE)) {
    t.not(nameForm(typed), STORED, `${what}: the case is kept`)
    t.equal(foldName(typed), STORED, what)
  }
  t.equal(foldName('ΣΩΤΉΡΗΣ.ΠΑΠΑΣ'), foldName('σωτήρης.παπας'), 'a sigma before a dot')
  t.equal(foldName('\uFF76\uFF9E\uFF7D'), foldName('ガス'), 'narrow kana')
})

t.test('names that people tell apart stay different', async (t) => {
  const names = [
    'alice',
    'al\u0131ce',
    'ali\u0307\u0301ce',
    'al\u00EDce',
    'al\u00EFce',
    '\u0430lice',
    'alicé',
    'aIice',
    'al.ice',
    'al-ice',
    'groß',
    'gross',
    'grob',
  ]
  t.equal(new Set(names.map(foldName)).size, names.length)
})

t.test('the form of a form is the same, after each character', async (t) => {
  const wrong: string[] = []
  for (let code = 0; code <= LAST; code++) {
    const typed = `A${String.fromCodePoint(code)}`
    const [form, folded] = [nameForm(typed), foldName(typed)]
    if (nameForm(form) !== form || foldName(folded) !== folded || foldName(form) !== folded)
      wrong.push(code.toString(16))
  }
  t.same(wrong, [])
})

t.test('a text that is too long for a name costs no normalisation, and is none', async (t) => {
  const long = '\u0316\u0301'.repeat(300)
  t.equal(nameForm(long), long)
})

t.test('a code is read in any width and case', async (t) => {
  t.equal(codeForm('ｗｄ－ｊｂ\u2212\u200B\u3000ﾍ.ー'), 'WDJBヘ')
})

const codesOf = (text: string) =>
  [...text].map((character) => character.codePointAt(0)?.toString(16)).join(' ')

t.test('a name must be visible, and keep to itself', async (t) => {
  for (const name of ['Notes', '日本', 'مثال', 'e\u0301', 'می\u200Cخواهم', '👩\u200D🚀', '7', '·']) {
    t.equal(visibleNameProblem(name), undefined, name)
  }
  const blank = ['', ' ', '\u00A0\u3000', '\u200B', '\u3164', '\u2800', '\u115F\u1160', '\uFFA0', '\u{1D159}']
  for (const name of [...blank, '\u0301', '\u200D\uFE0F', '\u00AD', '\uE000', '\u034F', '\u{E0041}'])
    t.match(visibleNameProblem(name), /visible/, codesOf(name))
  for (const mark of ['\u202E', '\u202A', '\u2066', '\u2069', '\u200E', '\u200F', '\u061C'])
    t.match(visibleNameProblem(`redmint${mark}`), /direction/, codesOf(mark))
  for (const control of ['\n', '\0', '\u0085', '\u2028', '\u2029', '\uD800'])
    t.match(visibleNameProblem(`a${control}b`), /control/, codesOf(control))
})
