// W3C, A Well-Known URL for Changing Passwords.
import t from 'tap'
import { completeSettings } from '../../../src/config/settings.ts'
import { problemsOf } from '../../support/config/problems.ts'
import { ISSUER, startService } from '../../support/service.ts'

const PATH = '/.well-known/change-password'

t.test('it redirects to the page where users change their password', async (t) => {
  const { get } = await startService(t, {
    change_password_url: 'https://id.example.com/password?from=redmint',
  })
  const { status, headers } = await get(PATH)
  t.equal(status, 302)
  t.equal(headers.location, 'https://id.example.com/password?from=redmint')
  t.equal(headers['cache-control'], 'no-store')
})

t.test('without an address of the operator it is the account page', async (t) => {
  const { get } = await startService(t)
  t.match(await get(PATH), { status: 302, headers: { location: `${ISSUER}/account/password` } })
})

t.test('without such a page it is unknown, like any other path', async (t) => {
  const { get } = await startService(t, { account_page: 'off' })
  t.equal((await get(PATH)).status, 404)
  t.equal(
    (await get('/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200')).status,
    404,
  )
})

t.test('the address is an https URL, or http on loopback', async (t) => {
  for (const url of ['https://id.example.com/password', 'http://localhost:4000/password']) {
    t.same(problemsOf({ CHANGE_PASSWORD_URL: url }), [], url)
  }
  const refused = ['http://id.example.com/', '/password', 'id.example.com', 'javascript:alert(1)']
  for (const url of [...refused, 'https://u:p@id.example.com/', 'https://id.example.com/ x']) {
    const problem = 'must be an https URL, or http on loopback'
    t.same(problemsOf({ CHANGE_PASSWORD_URL: url }), [`CHANGE_PASSWORD_URL ${problem}`], url)
    t.throws(() => completeSettings({ issuer: 'https://a.example', change_password_url: url }))
  }
})
