// The browser of check-client: cookies, forms, and where it does not go.
import t from 'tap'
import { Astray, Browser } from '../../../../dev/check-client/browser.ts'
import { Cookies } from '../../../../dev/check-client/cookies.ts'
import { formsIn } from '../../../../dev/check-client/form.ts'

const AT = new URL('http://localhost:8080/app/login')

function kept(...set: string[]): (url: string) => string {
  const cookies = new Cookies()
  cookies.keep(AT, set)
  return (url) => cookies.headerFor(new URL(url))
}

t.test('cookies go to their host, on every port, and to their path', async (t) => {
  const header = kept('a=1; Path=/', 'b=2', 'c=3; Path=/app/in; HttpOnly; Secure')
  t.equal(header('http://localhost:9/'), 'a=1')
  t.equal(header('http://localhost:8080/app'), 'b=2; a=1')
  t.equal(header('http://localhost:8080/app/in/x'), 'c=3; b=2; a=1')
  t.equal(header('http://localhost:8080/app/inner'), 'b=2; a=1', 'a path ends at a slash')
  t.equal(header('http://127.0.0.1:8080/app'), '')
})

t.test('cookies end, are replaced, and are not kept above 4,096 bytes', async (t) => {
  t.equal(kept('a=1; Path=/', 'a=2; Path=/')('http://localhost/'), 'a=2')
  t.equal(kept('a=1; Path=/', 'a=; Path=/; Max-Age=0')('http://localhost/'), '')
  t.equal(kept('a=1; Path=/', 'a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT')('http://localhost/'), '')
  t.equal(kept(`a=${'x'.repeat(4095)}; Path=/`)('http://localhost/').length, 4097)
  t.equal(kept(`a=${'x'.repeat(4096)}; Path=/`)('http://localhost/'), '')
})

t.test('a cookie with a domain goes to the hosts below it, and nobody sets one of another', async (t) => {
  const cookies = new Cookies()
  cookies.keep(new URL('http://app.shop.test/'), ['a=1; Domain=shop.test', 'b=2; Domain=other.test', 'c=3'])
  t.equal(cookies.headerFor(new URL('http://api.shop.test/')), 'a=1')
  t.equal(cookies.headerFor(new URL('http://app.shop.test/')), 'a=1; c=3')
  t.equal(cookies.headerFor(new URL('http://other.test/')), '')
})

t.test('a form that is posted has its hidden fields', async (t) => {
  const page = `<form action="/search"><input name="q"></form>
    <form method='post' action="/sign-in?a=1&amp;b=2"><input type="hidden" name="csrf" value="&quot;x&#39;&#x2F;">
    <input type=hidden name=to value=home><input name="typed" value="no"><button>Go</button></form>`
  t.same(formsIn(page, AT), [
    {
      action: 'http://localhost:8080/sign-in?a=1&b=2',
      method: 'POST',
      fields: [
        ['csrf', '"x\'/'],
        ['to', 'home'],
      ],
    },
  ])
})

t.test('it goes to loopback and private names only, and not to the issuer', async (t) => {
  const browser = new Browser('http://localhost:3000')
  for (const url of ['https://example.com/', 'http://192.0.2.1/', 'http://10.0.0.1/', 'ftp://localhost/'])
    await t.rejects(browser.open(url), Astray, url)
  t.match(await browser.open('http://localhost:3000/oauth2/authorize?a=1'), {
    at: 'other_side',
    url: { search: '?a=1' },
  })
})
