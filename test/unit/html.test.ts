import { createHash } from 'node:crypto'
import t from 'tap'
import { invalidRequest, serverError } from '../../src/errors.ts'
import { errorPage } from '../../src/pages/error.ts'
import { Html, html } from '../../src/pages/html.ts'
import { page, STYLE_SOURCE } from '../../src/pages/layout.ts'

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

t.test('what is HTML already is not', async (t) => {
  t.equal(html`<p>${html`<b>${'<'}</b>`}</p>`.text, '<p><b>&lt;</b></p>')
  t.equal(html`${new Html('<hr>')}`.toString(), '<hr>')
  t.equal(html`${'a'}${'b'}`.text, 'ab')
  t.equal(html`alone`.text, 'alone')
})

t.test('something that looks like Html is text', async (t) => {
  const forged = { text: '<b>', toString: () => '<b>' } as unknown as string
  t.throws(() => html`${forged}`)
})

t.test('a page', async (t) => {
  const text = page('<title>', html`<p>body</p>`)
  t.match(text, /^<!doctype html>\n<html lang="en">/)
  t.match(text, '<title>&lt;title&gt;</title>')
  t.match(text, '<p>body</p>')
  t.notMatch(
    text,
    /<script|\son\w+=|\sstyle=|https?:/,
    'nothing that the Content-Security-Policy would refuse',
  )
  const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? ''
  t.equal(STYLE_SOURCE, `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
})

t.test('the page of an error', async (t) => {
  const text = errorPage(invalidRequest('Not <b>this</b>.'), '"id"')
  t.match(text, 'Not &lt;b&gt;this&lt;/b&gt;.')
  t.match(text, '<code>invalid_request</code>')
  t.match(text, '<code>&quot;id&quot;</code>')
  t.match(text, 'This sign-in link does not work')
  const ours = errorPage(serverError(new Error('hush')), 'id')
  t.match(ours, 'Something went wrong')
  t.notMatch(ours, 'hush')
})
