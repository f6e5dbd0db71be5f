// What docs/promises.md says of codes and refresh tokens, at a server for development whose answers are lost.
import t from 'tap'
import type { Redmint } from '../../../exports/testing.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { introspect, postForm, refresh, SHOP, SHOP_CALLBACK, startDev, userinfo } from '../../support/dev.ts'

const PARALLEL = 50
const VERIFIER = 'a-code-verifier-of-forty-three-characters-or-more'

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** Sends a request many times at once. Those without an answer are left out. */
async function storm(send: () => Promise<Response>): Promise<{ status: number; json: Tokens }[]> {
  const sent = Array.from({ length: PARALLEL }, async () => {
    const answer = await send()
    return { status: answer.status, json: (await answer.json()) as Tokens }
  })
  const settled = await Promise.allSettled(sent)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

/** Returns how many requests an access token was issued to, whether or not it arrived. */
async function issued(redmint: Redmint): Promise<number> {
  return (await redmint.log()).filter(({ issued = [] }) => issued.includes('access_token')).length
}

async function newCode(redmint: Redmint, cookie: string): Promise<string> {
  const query = new URLSearchParams({
    ...{
      response_type: 'code',
      client_id: SHOP,
      redirect_uri: SHOP_CALLBACK,
      scope: 'openid offline_access',
    },
    ...{ code_challenge: s256Challenge(VERIFIER), code_challenge_method: 'S256', prompt: 'none' },
  })
  const answer = await fetch(`${redmint.issuer}/oauth2/authorize?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const redeem = (redmint: Redmint, code: string, verifier = VERIFIER) =>
  postForm(redmint, '/oauth2/token', {
    ...{ grant_type: 'authorization_code', client_id: SHOP, redirect_uri: SHOP_CALLBACK, code },
    code_verifier: verifier,
  })

async function signedIn(redmint: Redmint): Promise<string> {
  const cookies = await redmint.signIn('alice')
  await redmint.consent({ user: 'alice', client: SHOP })
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

t.test('D4: a code yields tokens once, whatever answers are lost', async (t) => {
  const redmint = await startDev(t)
  for (const lost of [1, PARALLEL / 2, PARALLEL]) {
    const code = await newCode(redmint, await signedIn(redmint))
    const wrong = await storm(() => redeem(redmint, code, `${VERIFIER}-of-somebody-else`))
    t.ok(
      wrong.every(({ status }) => status === 400),
      'a wrong verifier burns nothing',
    )
    const before = await issued(redmint)
    await redmint.fault('token', 'lost_answer', lost)
    const answers = await storm(() => redeem(redmint, code))
    t.equal(answers.length, PARALLEL - lost)
    t.equal((await issued(redmint)) - before, 1, `${lost} answers lost: one request got tokens`)
    t.ok(answers.filter(({ status }) => status === 200).length <= 1)
    for (const { json, status } of answers) {
      if (status !== 200) continue
      t.equal((await userinfo(redmint, json.access_token)).status, 401, 'the replays ended them')
      t.equal((await refresh(redmint, json.refresh_token)).status, 400)
    }
    await redmint.reset()
  }
})

t.test('D4: a lost answer of a code ends with the retry', async (t) => {
  const redmint = await startDev(t)
  const code = await newCode(redmint, await signedIn(redmint))
  await redmint.fault('token', 'lost_answer')
  await t.rejects(redeem(redmint, code))
  t.equal((await redeem(redmint, code)).status, 400, 'it is spent')
})

t.test('D4: never two live successors of a refresh token', async (t) => {
  const redmint = await startDev(t)
  for (const lost of [1, PARALLEL / 2, PARALLEL - 1]) {
    const { refresh_token } = await redmint.token({ client: SHOP, user: 'alice' })
    await redmint.fault('token', 'lost_answer', lost)
    const answers = await storm(() => refresh(redmint, refresh_token))
    t.equal(answers.length, PARALLEL - lost)
    t.ok(answers.every(({ status }) => status === 200))
    const successors = new Set(answers.map(({ json }) => json.refresh_token))
    t.equal(successors.size, 1, `${lost} answers lost: all retries got one successor`)
    const [successor = ''] = successors
    t.equal((await refresh(redmint, successor)).status, 200)
    t.equal((await refresh(redmint, refresh_token)).status, 400, 'its successor was used: that is reuse')
    const [last] = answers
    t.match(
      await introspect(redmint, last?.json.access_token ?? ''),
      { active: false },
      'all of the family ended',
    )
  }
})

t.test('D4: other faults spend nothing, or spend once', async (t) => {
  const redmint = await startDev(t)
  for (const fault of [
    'status',
    'cut',
    'nonce_required',
    'rotate_keys',
    'wrong_iss',
    'unknown_kid',
  ] as const) {
    const code = await newCode(redmint, await signedIn(redmint))
    const before = await issued(redmint)
    await redmint.fault('token', fault, PARALLEL)
    const answers = await storm(() => redeem(redmint, code))
    const spent = fault === 'rotate_keys' || fault === 'wrong_iss' || fault === 'unknown_kid'
    t.equal((await issued(redmint)) - before, spent ? 1 : 0, fault)
    t.equal(answers.filter(({ status }) => status === 200).length, spent ? 1 : 0)
    t.equal((await redeem(redmint, code)).status, spent ? 400 : 200, 'and what is not spent can be used')
    await redmint.reset()
  }
})
