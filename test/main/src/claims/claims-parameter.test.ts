// The claims parameter from the authorization request to id_token and UserInfo (OpenID Connect Core §5.5).

import t from 'tap'
import { type Party, populate, readTokens, redeem, userInfo } from '../../../support/claims/sign-ins.ts'
import { createUser } from '../../../support/records.ts'
import { startService } from '../../../support/service.ts'

const EXAMPLE = {
  userinfo: { email: { essential: true }, phone_number: null, 'name#de': null, x: 5 },
  id_token: { name: null, auth_time: { essential: true } },
}

t.test('a claim requested by name is returned where it was requested', async (t) => {
  const service = await startService(t)
  const { storage, authorize } = service
  await populate(storage)
  const known = { name: 'Carol Example', email: 'carol@example.com', phone_number: '+49 30 1234' }
  await createUser(storage, 'carol', { sub: 'carol', ...known })
  const answers = async (party: Party, claims: object) => {
    const asked = { client_id: party, subject: 'carol', scope: 'openid', claims: JSON.stringify(claims) }
    const code = String((await authorize(asked)).redirect.get('code'))
    const tokens = readTokens(await redeem(service, party, code))
    return { userinfo: (await userInfo(service, tokens)).json, id_token: tokens.claims }
  }
  const { userinfo, id_token } = await answers('shop', EXAMPLE)
  t.strictSame(userinfo, { email: 'carol@example.com', phone_number: '+49 30 1234', sub: 'carol' })
  t.match(id_token, { name: 'Carol Example', sub: 'carol', email: undefined, phone_number: undefined })
  const letter = await answers('letter', EXAMPLE)
  t.strictSame(
    letter.userinfo,
    { email: 'carol@example.com', sub: 'carol' },
    'only claims that the client may request',
  )
  t.notOk(Object.hasOwn(letter.id_token, 'name'))
  const mine = await answers('shop', { id_token: { sub: { value: 'carol' } } })
  t.strictSame(mine.userinfo, { sub: 'carol' })
})
