// A line of CSV: cells stay cells whatever the separator is, and no cell is a formula.
import t from 'tap'
import { csvLineOf } from '../../../../src/core/csv.ts'

t.test('each cell is quoted, and says what it said', async (t) => {
  t.equal(csvLineOf(['plain', undefined, '', 'a,b', 'say "x"']), '"plain","","","a,b","say ""x"""')
  t.equal(csvLineOf(['x;=1+1', "it's", '1-2', 'a\nb']), '"x;=1+1","it\'s","1-2","a\nb"')
})

t.test('what begins like a formula does not, also after what nobody sees', async (t) => {
  const signs = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20', '\ufe66', '\u2212']
  const unseen = [
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\u00a0',
    '\u200b',
    '\u200e',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u3000',
    '\u0000',
    ' \u200b ',
  ]
  for (const sign of signs)
    for (const before of unseen) {
      const text = `${before}${sign}HYPERLINK()`
      t.equal(csvLineOf([text]), `"'${text}"`, JSON.stringify(text))
    }
  t.equal(csvLineOf(['\tx']), '"\'\tx"')
})
