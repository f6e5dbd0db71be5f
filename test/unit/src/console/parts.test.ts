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

t.test('a plot of nothing says so', async (t) => {
  const shown = (value: number) =>
    plot({
      title: 'Sign-ins',
      says: 'none',
      names: ['a'],
      columns: [{ values: [value] }],
      top: (most) => `${most} in an hour`,
      from: '10:00',
      to: '11:00',
    }).toString()
  t.match(shown(0), '10:00 – 11:00, nothing<')
  t.match(shown(3), '10:00 – 11:00, at most 3 in an hour<')
})
