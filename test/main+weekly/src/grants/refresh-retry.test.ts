// A retry signs nobody out and gets the same tokens; reuse of a copy revokes the family.
import { decodeJwt } from 'jose'
import { ACCEPTED, accepts, dead, failing, inUse, refused, unavailable } from '../../../support/expect.ts'
import {
  type ClientName,
  forEachService,
  type Lifecycle,
  pass,
  type Tokens,
  tokensOf,
} from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import type { Answer } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const CLIENTS: ClientName[] = ['app', 'web']

/** The token, or the jti of a JWT: signing again gives another signature. */
const idOf = (access_token: string) =>
  access_token.split('.').length === 3 ? String(decodeJwt(access_token).jti) : access_token

/** What an answer issued. */
const issuedBy = (answer: Answer) => {
  const { access_token, refresh_token } = tokensOf(answer)
  return { access_token: idOf(access_token), refresh_token }
}

forEachService('after a lost response a retry gets the same tokens, which work', async (t, start) => {
  const service = await start()
  for (const client of CLIENTS) {
    const { refresh_token } = await service.signIn(client)
    const lost = tokensOf(await service.refresh(client, refresh_token))
    const again = tokensOf(await service.refresh(client, refresh_token))
    t.equal(again.refresh_token, lost.refresh_token, 'the same successor')
    t.equal(idOf(again.access_token), idOf(lost.access_token), 'the same access token')
    t.strictSame(await accepts(service, again.access_token), ACCEPTED)
    const next = tokensOf(await service.refresh(client, again.refresh_token))
    t.strictSame(
      await inUse(service, [refresh_token, again.refresh_token, next.refresh_token]),
      [next.refresh_token],
      'exactly one is in use',
    )
    const caught = tokensOf(await service.refresh(client, again.refresh_token))
    t.equal(caught.refresh_token, next.refresh_token, 'retrying that one returns its own successor')
  }
})

forEachService(
  'a retry of a refresh to a JWT gets the same jti, iat and exp',
  async (t, start) => {
    const service = await start({ access_token_format: 'jwt' })
    const { refresh_token } = await service.signIn()
    const scope = 'openid api.read'
    const lost = await service.refresh('app', refresh_token, { scope })
    await pass(
      service,
      2,
      async () => Date.now() / 1000 > Number(decodeJwt(tokensOf(lost).access_token).iat) + 2,
    )
    const again = await service.refresh('app', refresh_token, { scope })
    t.strictSame(decodeJwt(tokensOf(again).access_token), decodeJwt(tokensOf(lost).access_token))
    t.equal(again.json.refresh_token, lost.json.refresh_token)
    t.ok(Number(again.json.expires_in) <= Number(lost.json.expires_in) - 2, 'expires_in is what is left')
    const claims = ['sub', 'aud', 'iat', 'exp', 'auth_time', 'sid']
    const [one, other] = [lost, again].map(({ json }) => decodeJwt(String(json.id_token)))
    for (const claim of claims) t.strictSame(other?.[claim], one?.[claim], claim)
    t.strictSame(await accepts(service, tokensOf(again).access_token), ACCEPTED)
  },
  ['jwt'],
)

forEachService(
  'a retry gets the format that was issued, whatever the client has now',
  async (t, start) => {
    for (const [before, now] of [
      ['opaque', 'jwt'],
      ['jwt', 'opaque'],
    ] as const) {
      const service = await start({ access_token_format: before })
      const { refresh_token } = await service.signIn()
      const lost = tokensOf(await service.refresh('app', refresh_token))
      await changeClient(service.storage, 'app', { set: { access_token_format: now }, unset: [] })
      await until('the change is known', async () => {
        const { access_token } = await service.signIn()
        return (access_token.split('.').length === 3) === (now === 'jwt')
      })
      const again = tokensOf(await service.refresh('app', refresh_token))
      t.equal(again.refresh_token, lost.refresh_token)
      if (before === 'opaque') t.equal(again.access_token, lost.access_token)
      else t.equal(decodeJwt(again.access_token).jti, decodeJwt(lost.access_token).jti)
    }
  },
  ['opaque'],
)

forEachService('300 retries of one refresh create no further tokens', async (t, start) => {
  const service = await start()
  const { refresh_token } = await service.signIn()
  const first = await service.refresh('app', refresh_token)
  const answers = await Promise.all(Array.from({ length: 300 }, () => service.refresh('app', refresh_token)))
  const tokens = new Set(answers.map((answer) => JSON.stringify(issuedBy(answer))))
  t.strictSame([...tokens], [JSON.stringify(issuedBy(first))], 'one pair of tokens')
})

forEachService(
  'a stolen token that was superseded leads to no live token, but ends its family',
  async (t, start) => {
    const service = await start()
    for (const client of CLIENTS) {
      const stolen = await service.signIn(client)
      let latest = stolen
      for (let i = 0; i < 5; i++) latest = tokensOf(await service.refresh(client, latest.refresh_token))
      refused(t, await service.refresh(client, stolen.refresh_token), 'though the window is open')
      await dead(t, service, [stolen, latest], 'the family')
    }
  },
)

forEachService('concurrent refreshes at two replicas create one successor', async (t, start) => {
  const replicas = [await start(), await start()]
  const [service] = replicas as [Lifecycle]
  for (const client of CLIENTS) {
    let { refresh_token } = await service.signIn(client)
    for (let round = 0; round < 3; round++) {
      const storm = Array.from({ length: 30 }, (_, i) => replicas[i % 2]?.refresh(client, refresh_token))
      const answers = await Promise.all(storm as Promise<Awaited<ReturnType<Lifecycle['refresh']>>>[])
      const tokens = answers.map(tokensOf)
      const successors = [...new Set(tokens.map((each) => each.refresh_token))]
      t.equal(successors.length, 1, 'all get the same successor')
      t.equal(
        new Set(tokens.map(({ access_token }) => idOf(access_token))).size,
        1,
        'and the same access token',
      )
      t.strictSame(await inUse(service, [refresh_token, ...successors]), successors)
      for (const { access_token } of tokens.slice(0, 3)) {
        t.strictSame(await accepts(service, access_token), ACCEPTED)
      }
      refresh_token = successors[0] ?? ''
    }
  }
})

forEachService(
  'without a retry window, concurrent refreshes at two replicas revoke the family',
  async (t, start) => {
    const replicas = [await start({ refresh_retry_window: 0 }), await start({ refresh_retry_window: 0 })]
    const [service] = replicas as [Lifecycle]
    const first = await service.signIn()
    const storm = Array.from({ length: 30 }, (_, i) => replicas[i % 2]?.refresh('app', first.refresh_token))
    const answers = await Promise.all(storm as Promise<Awaited<ReturnType<Lifecycle['refresh']>>>[])
    const won = answers.filter(({ status }) => status === 200)
    t.equal(won.length, 1)
    for (const answer of answers) if (answer.status !== 200) refused(t, answer, 'the others are refused')
    await dead(t, service, [first, ...won.map(tokensOf)], 'the tokens of the winner are revoked')
  },
)

forEachService('without a retry window, a retry revokes the family', async (t, start) => {
  const service = await start({ refresh_retry_window: 0 })
  const bystander = await service.signIn()
  for (const client of CLIENTS) {
    const first = await service.signIn(client)
    const second = tokensOf(await service.refresh(client, first.refresh_token))
    refused(t, await service.refresh(client, first.refresh_token), 'the retry')
    await dead(t, service, [first, second], 'after it')
    refused(t, await service.refresh(client, second.refresh_token), 'the successor')
    t.ok(service.log.some((line) => line.includes('"level":40') && line.includes('presented again')))
  }
  t.strictSame(await accepts(service, bystander.access_token), ACCEPTED, 'other families are not affected')
})

forEachService(
  'reuse after the retry window revokes the family, however often it was refreshed since',
  async (t, start) => {
    const service = await start({ refresh_retry_window: 1 })
    const first = await service.signIn()
    const family: Tokens[] = [first]
    for (let round = 0; round < 3; round++) {
      const last = family.at(-1) ?? first
      family.push(tokensOf(await service.refresh('app', last.refresh_token)))
    }
    await pass(service, 1, async () => (await service.refresh('app', first.refresh_token)).status !== 200)
    refused(t, await service.refresh('app', first.refresh_token), 'the reused token')
    await dead(t, service, family, 'the family')
  },
)

forEachService('a retry after a lost reply of Redis gets the same successor', async (t, start, place) => {
  const control = failing(place.open(t))
  const service = await start({ storage: control.storage })
  for (const client of ['app', 'web', 'fixed'] as ClientName[]) {
    const first = await service.signIn(client)
    control.fault = 'after'
    unavailable(t, await service.refresh(client, first.refresh_token), 'unused')
    delete control.fault
    const again = tokensOf(await service.refresh(client, first.refresh_token))
    t.strictSame(await accepts(service, again.access_token), ACCEPTED)
    t.strictSame(
      await inUse(service, [...new Set([first.refresh_token, again.refresh_token])]),
      [again.refresh_token],
      'exactly one is in use',
    )
    t.strictSame(await accepts(service, first.access_token), ACCEPTED)
  }
})

forEachService('refreshes concurrent with a replay of the code leave no valid token', async (t, start) => {
  const replicas = [await start(), await start()]
  const [service, other] = replicas as [Lifecycle, Lifecycle]
  const code = await service.codeFor('app')
  const first = tokensOf(await service.redeem('app', code))
  const refresh = (replica: Lifecycle) => replica.refresh('app', first.refresh_token)
  const [replay, ...answers] = await Promise.all([
    other.redeem('app', code),
    ...Array.from({ length: 20 }, (_, i) => refresh(i % 2 ? service : other)),
  ])
  t.equal(replay?.json.error, 'invalid_grant')
  const won = answers.filter(({ status }) => status === 200).map(tokensOf)
  await dead(t, service, [first, ...won], 'whichever came first')
  refused(t, await refresh(service), 'afterwards')
})

forEachService(
  'a retry with another scope is refused, and the first request can be repeated',
  async (t, start) => {
    const service = await start()
    const { refresh_token } = await service.signIn()
    const first = await service.refresh('app', refresh_token, { scope: 'api.read' })
    for (const scope of ['openid', 'openid api.read']) {
      const { status, json } = await service.refresh('app', refresh_token, { scope })
      t.match({ status, error: json.error }, { status: 400, error: 'invalid_scope' }, scope)
    }
    const retry = await service.refresh('app', refresh_token, { scope: 'api.read' })
    t.strictSame(issuedBy(retry), issuedBy(first))
    t.match(retry.json, { scope: 'api.read' })
    t.notOk('id_token' in retry.json)
  },
)
