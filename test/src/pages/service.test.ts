import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { authorizationRequest, startService } from '../../support/service.ts'

const WRONG = authorizationRequest({ redirect_uri: 'https://evil.example/' })
const query = (parameters: Record<string, string>) => `/oauth2/authorize?${new URLSearchParams(parameters)}`

t.test('an error page has the requested language', async (t) => {
  const { get, post } = await startService(t)
  const german = 'Dieser Anmeldelink funktioniert nicht'
  const english = 'This sign-in link does not work'
  const accept = { 'accept-language': 'de-AT, en;q=0.5' }
  t.match((await get(query(WRONG))).text, english)
  t.match((await get(query(WRONG), accept)).text, german)
  t.match((await get(query({ ...WRONG, ui_locales: 'de' }))).text, german)
  t.match((await get(query({ ...WRONG, ui_locales: 'en' }), accept)).text, english)
  t.match((await post('/oauth2/authorize', { ...WRONG, ui_locales: 'de' })).text, german)
  t.match((await post('/oauth2/authorize', WRONG, accept)).text, german)
  // The parameters could not be parsed.
  const twice = await get(`${query(WRONG)}&ui_locales=de&ui_locales=de`, accept)
  t.equal(twice.status, 400)
  t.match(twice.text, german)
  for (const odd of ['%', 'ui_locales[]=de', '__proto__[ui_locales]=de', '']) {
    const answer = await get(`/oauth2/authorize?${odd}`)
    t.equal(answer.status, 400)
    t.match(answer.text, english, odd)
  }
})

t.test('the request id of an error page is in the log', async (t) => {
  const { get, log } = await startService(t)
  const { text } = await get(query(WRONG))
  const [, id = 'none'] = /<dd><code>([\w-]{16})<\/code><\/dd>/.exec(text) ?? []
  const lines = log.filter((line) => JSON.parse(line).reqId === id)
  t.match(lines.join(''), '"code":"invalid_request"')
})

t.test('an error page has the brand, and its policy allows nothing else', async (t) => {
  const brand = {
    service_name: 'Wonder & land',
    logo_url: 'https://cdn.example.com/logo.svg',
    accent_color: '#b4233f',
  }
  const { get } = await startService(t, brand)
  const { text, headers } = await get(query(WRONG))
  t.match(text, '<img src="https://cdn.example.com/logo.svg" alt="Wonder &amp; land">')
  t.match(text, '--accent:#b4233f')
  t.match(
    headers['content-security-policy'],
    /^default-src 'none';style-src 'sha256-[\w+/=]{44}';img-src 'self' https:\/\/cdn\.example\.com;base-uri 'none';frame-ancestors 'none'$/,
  )
  const plain = await startService(t)
  t.not(
    (await plain.get(query(WRONG))).headers['content-security-policy'],
    headers['content-security-policy'],
  )
  await t.rejects(startService(t, { accent_color: 'red;}</style>' }), { name: 'ConfigError' })
})

t.test('an error page offers to try again if that can help', async (t) => {
  const storage = new MemoryStorage()
  const { get, post } = await startService(t, { storage })
  storage.records.read = () => {
    throw new Error('hush')
  }
  const again = '<a class="button primary" href="">'
  t.match((await get(query(WRONG))).text, again)
  t.notMatch((await post('/oauth2/authorize', WRONG)).text, again, 'the form would be lost')
  t.notMatch((await get('/oauth2/authorize?x')).text, again, 'the request would be refused again')
})
