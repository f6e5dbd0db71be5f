import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startRedmint } from 'redmint/testing'
import { createApp } from './orders.mjs'

const API = 'https://orders.test'
const redmint = await startRedmint({
  seed: {
    users: [{ username: 'bob' }],
    resources: [{ resource: API, scopes: ['orders.read', 'orders.write'], access_token_format: 'jwt' }],
    clients: [
      {
        client_id: 'shop',
        is_public: true,
        redirect_uris: ['http://localhost/callback'],
        allowed_scopes: ['orders.read', 'orders.write'],
      },
    ],
  },
})
const api = createApp(redmint.issuer, API).listen(0)
after(async () => {
  api.close()
  await redmint.close()
})

/** A token of bob at the shop, without a page or a browser. */
const token = async (wanted) => {
  const bob = { client: 'shop', user: 'bob', resource: API, scope: 'orders.read' }
  const { access_token } = await redmint.token({ ...bob, ...wanted })
  return access_token
}
const read = (token) =>
  fetch(`http://localhost:${api.address().port}/orders`, { headers: { authorization: `Bearer ${token}` } })

test('who has a token reads', async () => {
  const answer = await read(await token())
  assert.equal(answer.status, 200)
  assert.equal((await answer.json()).client, 'shop')
})

for (const fault of ['expired', 'not_yet_valid', 'wrong_aud', 'wrong_iss', 'wrong_signature', 'alg_none'])
  test(`a token is refused: ${fault}`, async () => {
    assert.equal((await read(await token({ fault }))).status, 401)
  })

test('a token for another scope is refused', async () => {
  assert.equal((await read(await token({ scope: 'orders.write' }))).status, 403)
})
