import t from 'tap'
import { textOf } from '../../../src/explain/texts.ts'
import {
  BATCH,
  BATCH_SECRET,
  clientToken,
  postForm,
  refresh,
  SHOP,
  startDev,
  userinfo,
} from '../../support/dev.ts'

t.test('each request, what was decided, and why it was refused, in the words of explain', async (t) => {
  const redmint = await startDev(t)
  await clientToken(redmint)
  const wrong = await postForm(redmint, '/oauth2/token', {
    ...{ grant_type: 'authorization_code', client_id: SHOP, code: 'a-code-that-nobody-issued' },
    redirect_uri: 'https://shop.example.com/callback',
    code_verifier: 'a-code-verifier-of-forty-three-characters-or-more',
  })
  await fetch(
    `${redmint.issuer}/oauth2/authorize?response_type=code&client_id=nobody&redirect_uri=https%3A%2F%2Fnobody.example.com&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&state=secret-of-the-request`,
    {
      redirect: 'manual',
    },
  )
  await fetch(`${redmint.issuer}/nowhere/at-all?token=secret-of-the-request`)
  const log = await redmint.log()
  t.match(
    log.map(({ method, path, endpoint, decided, status, client_id, issued }) => ({
      ...{ method, path, endpoint, decided, status, client_id, issued },
    })),
    [
      {
        path: '/oauth2/token',
        endpoint: 'token',
        decided: 'answered',
        status: 200,
        client_id: BATCH,
        issued: ['access_token'],
      },
      {
        path: '/oauth2/token',
        endpoint: 'token',
        decided: 'refused',
        status: 400,
        client_id: SHOP,
        issued: undefined,
      },
      { path: '/oauth2/authorize', endpoint: 'authorization', decided: 'refused', client_id: undefined },
      { path: '/nowhere/at-all', endpoint: 'other', decided: 'refused', status: 404 },
    ],
  )
  const [, refused, unknown] = log
  t.equal(refused?.id, wrong.headers.get('x-request-id'))
  const { what, advice } = textOf('code_malformed', 'en')
  t.match(refused?.refused, { reason: 'code_malformed', sentence: what, advice, docs: String })
  t.match(unknown?.refused, { reason: 'client_unknown' })
})

t.test('no secret is in the log', async (t) => {
  const redmint = await startDev(t)
  const {
    access_token,
    refresh_token = '',
    id_token = '',
  } = await redmint.token({ client: SHOP, user: 'alice' })
  const cookies = await redmint.signIn('alice')
  await userinfo(redmint, access_token)
  const renewed = (await (await refresh(redmint, refresh_token)).json()) as Record<string, string>
  await userinfo(redmint, `${access_token}x`)
  await postForm(redmint, '/oauth2/token', {
    ...{ grant_type: 'client_credentials', client_id: BATCH, client_secret: `${BATCH_SECRET}-wrong` },
  })
  await fetch(`${redmint.issuer}/account`, {
    headers: { cookie: cookies.map((one) => `${one.name}=${one.value}`).join('; ') },
  })
  const log = await redmint.log()
  t.equal(log.length, 5)
  const text = JSON.stringify(log)
  const secrets = [access_token, refresh_token, id_token, BATCH_SECRET, ...cookies.map(({ value }) => value)]
  for (const secret of [...secrets, renewed.access_token ?? '', renewed.refresh_token ?? '']) {
    t.notOk(text.includes(secret.slice(-20)))
  }
  t.match(log[3], { decided: 'refused', client_id: BATCH, refused: { reason: 'client_credentials_wrong' } })
})

t.test('the log is bounded', async (t) => {
  const redmint = await startDev(t)
  const count = 1010
  await redmint.fault('jwks', 'jwks_404', count)
  for (let i = 0; i < count; i += 10) {
    await Promise.all(Array.from({ length: 10 }, () => fetch(`${redmint.issuer}/.well-known/jwks.json`)))
  }
  const log = await redmint.log()
  t.equal(log.length, 1000)
  t.ok(log.every(({ fault }) => fault === 'jwks_404'))
})
