// The claims parameter from the authorization request to id_token and UserInfo (OpenID Connect Core §5.5).

import t from 'tap'
import { type Party, populate, readTokens, redeem, userInfo } from '../../../support/claims/sign-ins.ts'
import { forEachService } from '../../../support/matrix.ts'
import { createUser } from '../../../support/records.ts'

const EXAMPLE = {
  userinfo: { email: { essential: true }, phone_number: null, 'name#de': null, x: 5 },
  id_token: { name: null, auth_time: { essential: true } },
}

forEachService(t, 'a claim requested by name is returned where it was requested', async (t, start) => {
  const service = await start()
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

forEachService(
  t,
  'a malformed claims parameter is reported to the client as invalid_request',
  async (t, start) => {
    const service = await start()
    await populate(service.storage)
    const malformed = [
      '{',
      '[]',
      '{"userinfo":[]}',
      '{"userinfo":{"email":1}}',
      `{"x":"${'x'.repeat(9000)}"}`,
    ]
    const two = '{"userinfo":{"sub":{"value":"a"}},"id_token":{"sub":{"value":"b"}}}'
    for (const claims of [...malformed, two]) {
      const { redirect } = await service.authorize({ client_id: 'shop', scope: 'openid', claims })
      t.equal(redirect.get('error'), 'invalid_request', claims.slice(0, 40))
      t.equal(redirect.get('state'), 'a state')
      t.notOk(redirect.has('code'))
    }
  },
)
