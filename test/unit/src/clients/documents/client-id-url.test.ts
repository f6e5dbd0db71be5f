import t from 'tap'
import { isClientIdUrl, isHostIn } from '../../../../../src/clients/documents/client-id-url.ts'

t.test('a client_id URL is https with a path, as a URL parser writes it', async (t) => {
  const good = `https://app.example.com/client.json https://app.example.com/ https://app.example.com:8443/a/b
    https://app.example.com/a?v=1 https://app.example.com/%C3%A4 https://xn--bcher-kva.example/a https://8.8.8.8/a
    https://[2606:4700::1111]/a https://a.example/a//b https://a.example/a;b=c https://a.example/a@b
    https://a.example/...  https://a.example/.well-known/x`
  for (const url of good.trim().split(/\s+/)) t.ok(isClientIdUrl(url), url)
  const bad = `app http://app.example.com/a HTTPS://app.example.com/a https:/app.example.com/a https:app.example.com/a
    https:///app.example.com/a https://app.example.com https://app.example.com?x https://app.example.com/#
    https://app.example.com/a#b https://user@app.example.com/a https://u:p@app.example.com/a https://@app.example.com/a
    https://App.example.com/a https://app.example.com./a https://app.example.com:443/a https://app.example.com:/a
    https://app.example.com:0443/a https://app.example.com:99999/a https://app.example.com/./a https://app.example.com/a/..
    https://app.example.com/a/../b https://app.example.com/%2e%2e/b https://app.example.com/a/%2E https://app.example.com/a/.%2e/b
    https://app.example.com\\a https://app.example.com/a\\b https://127.1/a https://0x7f000001/a https://2130706433/a
    https://[0:0::1]/a https://bücher.example/a https://app.example.com/ä https://app.example.com/%zz https://app.example.com/{a}
    https://app.example.com/a"b https://app.example.com/<a> https://a%2eexample.com/a https:// https:///`
  for (const url of bad.trim().split(/\s+/)) t.notOk(isClientIdUrl(url), url)
  for (const url of [
    'https://a.example/a b',
    'https://a.example/a\n',
    '\thttps://a.example/a',
    'https://a.exa\tmple/a',
    '',
  ]) {
    t.notOk(isClientIdUrl(url), JSON.stringify(url))
  }
})

t.test('a list of hosts has names, and all names below one', async (t) => {
  const hosts = ['app.example.com', '*.example.org']
  for (const host of ['app.example.com', 'a.example.org', 'a.b.example.org'])
    t.ok(isHostIn(host, hosts), host)
  for (const host of [
    'example.com',
    'x.app.example.com',
    'example.org',
    'badexample.org',
    'app.example.com.evil.example',
  ]) {
    t.notOk(isHostIn(host, hosts), host)
  }
})
