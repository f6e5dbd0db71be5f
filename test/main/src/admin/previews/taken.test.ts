// The host of a preview is taken over, as a branch that was merged leaves it to anybody.
import t from 'tap'
import { agreeAt, previewScene } from '../../../../support/previews.ts'
import { changeClient } from '../../../../support/records.ts'
import { requestUrl, signInAndAgree } from '../../../../support/scene/requests.ts'
import { REDIRECT_URI } from '../../../../support/service.ts'
import { asDeparture, asPage } from '../../../../support/visitor.ts'

t.test('D6: who has the host of a preview gets no token of the real client', async (t) => {
  const { made, requestTo, redeemAt, visitor, token, log } = await previewScene(t)
  const preview = await made()
  const { client_id, redirect_uri } = preview
  const alice = visitor()
  const of_shop = await signInAndAgree(alice)
  // The real client never answers there, and the preview nowhere else.
  for (const request of [requestUrl({ redirect_uri }), requestTo(preview, { redirect_uri: REDIRECT_URI })]) {
    const page = await alice.open(request)
    t.ok('title' in page && page.status === 400, 'an error page, and no way back')
  }
  t.ok(
    log.some((line) => line.includes('redmint client for-preview')),
    'the log says which way there is',
  )
  // A code of the real client is none of the preview, whoever got hold of it.
  t.match(await redeemAt(preview, of_shop), { status: 400, json: { error: 'invalid_grant' } })
  const code = String((await agreeAtAgain()).told.get('code'))
  const form = { grant_type: 'authorization_code', code, code_verifier: 'x'.repeat(43) }
  for (const other of [
    { client_id: 'shop', redirect_uri },
    { client_id: 'shop', redirect_uri: REDIRECT_URI },
  ])
    t.match(await token({ ...form, ...other }), { json: { error: 'invalid_grant' } })

  async function agreeAtAgain() {
    const page = asPage(await alice.open(requestTo(preview)))
    return asDeparture(await alice.submit(page, { decision: 'allow' }))
  }
  t.match(client_id, /^preview-/)
})

t.test('D6: what somebody allowed the real client is not allowed to its preview', async (t) => {
  const { made, requestTo, visitor, storage } = await previewScene(t)
  const preview = await made()
  const alice = visitor()
  await signInAndAgree(alice)
  const consent = await alice.page(requestTo(preview))
  t.equal(consent.title, 'Allow The Shop (pr-12) to access your account?')
  t.match(consent.text, 'pr-12.preview.example.com', 'the page says where the answer goes')
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.get('code'))
  const again = await alice.page(requestTo(preview))
  t.equal(again.title, consent.title, 'each time: the host may be of somebody else by now')
  await changeClient(storage, 'shop', { set: { first_party: 'true' } })
  const next = await made()
  t.equal(asPage(await alice.open(requestTo(next))).title, consent.title, 'a preview is never ours')
  t.ok(asDeparture(await alice.open(requestUrl())).told.get('code'), 'the real one asks nothing')
})

t.test('D6: no preview gets an answer unseen', async (t) => {
  const { made, requestTo, visitor, post } = await previewScene(t)
  const preview = await made()
  const silent = (browser = visitor()) => browser.open(requestTo(preview, { prompt: 'none' }))
  t.equal(asDeparture(await silent()).told.get('error'), 'consent_required', 'whoever is signed in or not')
  const alice = visitor()
  await agreeAt(alice, requestTo(preview))
  const refused = asDeparture(await silent(alice))
  t.equal(refused.told.get('error'), 'consent_required')
  t.match(refused.told.get('error_description'), /preview/)
  t.equal(refused.told.get('code'), null)
  const pushed = await post('/oauth2/par', {
    ...Object.fromEntries(new URL(requestTo(preview, { prompt: 'none' }), 'https://x.example').searchParams),
  })
  t.match(pushed, { status: 400, json: { error: 'consent_required' } }, 'nor by a pushed request')
})

t.test('D6: its people sign in to nothing else', async (t) => {
  const { made, requestTo, redeemAt, visitor, token } = await previewScene(t)
  const one = await made()
  const other = await made({ redirect_uri: 'https://pr-13.preview.example.com/callback' })
  const alice = visitor()
  const left = await agreeAt(alice, requestTo(one))
  t.match(await redeemAt(other, left), { status: 400, json: { error: 'invalid_grant' } })
  t.match(await token({ grant_type: 'refresh_token', client_id: one.client_id, refresh_token: 'x' }), {
    status: 400,
  })
  t.match(await alice.page(requestTo(other)), { title: /pr-13/ }, 'and each preview asks anew')
})
