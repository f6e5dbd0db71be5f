import t from 'tap'
import { startService } from '../../support/service.ts'

t.test('pages have the style of the buttons of providers only where people sign in by them', async (t) => {
  for (const sign_in of ['password', 'providers', 'provider:google'] as const) {
    const { get } = await startService(t, { sign_in })
    const { text } = await get('/oauth2/authorize?response_type=code', { accept: 'text/html' })
    t.equal(text.includes('[data-kind=google]'), sign_in !== 'password', sign_in)
  }
})
