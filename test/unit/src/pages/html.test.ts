import t from 'tap'
import { Html, html } from '../../../../src/pages/html.ts'

t.test('a value is escaped', async (t) => {
  const table: [value: string, text: string][] = [
    ['', ''],
    ['plain', 'plain'],
    ['<b>', '&lt;b&gt;'],
    ['"\'', '&quot;&#39;'],
    ['a & b', 'a &amp; b'],
    ['&amp;', '&amp;amp;'],
    ['</script><script>', '&lt;/script&gt;&lt;script&gt;'],
    ['ä 漢 😀', 'ä 漢 😀'],
    ['<<>>', '&lt;&lt;&gt;&gt;'],
    ['$& $1', '$&amp; $1'],
    ['\\n \\', '\\n \\'],
  ]
  for (const [value, text] of table) {
    t.equal(html`<p title="${value}">${value}</p>`.toString(), `<p title="${text}">${text}</p>`, value)
  }
})

t.test('Html is not escaped', async (t) => {
  t.equal(html`<p>${html`<b>${'<'}</b>`}</p>`.text, '<p><b>&lt;</b></p>')
  t.equal(html`${new Html('<hr>')}`.toString(), '<hr>')
  t.equal(html`${'a'}${'b'}`.text, 'ab')
  t.equal(html`alone`.text, 'alone')
})

t.test('an object that looks like Html is escaped', async (t) => {
  const forged = { text: '<b>', toString: () => '<b>' } as unknown as string
  t.throws(() => html`${forged}`)
})

t.test('each item of a list is escaped', async (t) => {
  t.equal(html`<ul>${['<', html`<b>${'>'}</b>`]}</ul>`.text, '<ul>&lt;<b>&gt;</b></ul>')
  t.equal(html`<ul>${[]}</ul>`.text, '<ul></ul>')
})
