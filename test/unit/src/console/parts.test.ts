// How pages of the console show texts that others wrote, in tables and facts.
import t from 'tap'
import { code, facts, table, text } from '../../../../src/console/pages/parts.ts'
import { plot } from '../../../../src/console/pages/plot.ts'

t.test('a list has an entry in each line, and anything else is JSON', async (t) => {
  t.equal(text(['a', '<b>']).toString(), '<bdi>a\n&lt;b&gt;</bdi>')
  t.equal(text(['a', 1]).toString(), '<bdi>[&quot;a&quot;,1]</bdi>')
  t.equal(text({ a: true }).toString(), '<bdi>{&quot;a&quot;:true}</bdi>')
})

t.test('what is empty is a word in a table, and left out of facts', async (t) => {
  const row = ['one', text(''), code(''), '', text([])]
  const cells = table('Some', ['a', 'b', 'c', 'd', 'e'], [row], 'None.').toString()
  t.equal(cells.match(/>none<\/span><\/td>/g)?.length, 4)
  t.notMatch(
    facts([
      ['a', text('')],
      ['b', undefined],
    ]).toString(),
    '<dt>',
  )
})

t.test('a cell without long words is not broken within a word', async (t) => {
  const cells = table('Some', ['a', 'b', 'c'], [['x', text('two minutes'), text('x'.repeat(13))]], 'None.')
  t.match(cells.toString(), '<td class="whole" data-label="b"><bdi>two minutes<')
  t.match(cells.toString(), '<td data-label="c"><bdi>xxxxxxxxxxxxx<')
})

t.test('a plot has its number above, and hours below; each bar says what it stands for', async (t) => {
  const shown = (value: number) =>
    plot({
      title: 'Sign-ins',
      number: String(value),
      says: 'none',
      columns: [{ says: `10:00, ${value} sign-ins`, values: [value] }],
      hours: ['10:00', 'now'],
      keys: [['first', 'succeeded']],
    }).toString()
  t.match(shown(0), '<b>0</b>')
  t.notMatch(shown(0), '<rect', 'nothing is to be seen of nothing')
  t.match(shown(3), '<title>10:00, 3 sign-ins</title></rect>')
  t.match(shown(3), '<p class="hours"><span>10:00</span><span>now</span></p>')
})
