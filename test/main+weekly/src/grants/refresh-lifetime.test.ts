// How long refreshes can extend a sign-in. What was issued is remembered until it expires.
import tap from 'tap'
import { ACCEPTED, accepts, REFUSED, refused } from '../../../support/expect.ts'
import {
  type ClientName,
  forEachService,
  type Lifecycle,
  pass,
  tokensOf,
} from '../../../support/lifecycle.ts'
import { until } from '../../../support/until.ts'

// The tests mostly wait, so they run in parallel.
tap.jobs = 6

const CLIENTS: ClientName[] = ['app', 'fixed']

/** Advances the clock of the replicas by some seconds. */
function wait(service: Lifecycle, seconds: number): Promise<void> {
  const since = service.now()
  return pass(service, seconds, async () => service.now() >= since + seconds * 1000)
}

forEachService('no number of refreshes extends a sign-in beyond its lifetime', async (t, start) => {
  const service = await start({ refresh_token_ttl: 2, access_token_ttl: 3 })
  for (const client of CLIENTS) {
    let { refresh_token } = await service.signIn(client)
    const end = service.now() + 2000
    let last = 0
    await until('the family has expired', async () => {
      const sent = service.now()
      const answer = await service.refresh(client, refresh_token)
      if (answer.status !== 200 || sent > end + 5000) return true
      last = sent
      refresh_token = tokensOf(answer).refresh_token
      service.advance?.(0.2)
      return false
    })
    t.ok(last > 0 && last <= end, `${client}: last refreshed ${end - last} ms before its end`)
  }
})

forEachService('the last access token is valid until it expires', async (t, start) => {
  const service = await start({ refresh_token_ttl: 4, access_token_ttl: 4 })
  for (const client of CLIENTS) {
    const { refresh_token } = await service.signIn(client)
    await wait(service, 2)
    const last = tokensOf(await service.refresh(client, refresh_token))
    const { exp } = (await service.introspect('gateway', last.access_token)).json
    await pass(service, 2.1, async () => (await service.refresh(client, last.refresh_token)).status === 400)
    refused(t, await service.refresh(client, last.refresh_token), 'the refresh token has expired')
    const found = await accepts(service, last.access_token)
    // On a slow machine it may have expired, and may be refused.
    if (service.now() < Number(exp) * 1000) t.strictSame(found, ACCEPTED, `${client}: not expired`)
  }
})

forEachService('an unused refresh token expires after its idle lifetime', async (t, start) => {
  const service = await start({ refresh_token_ttl: 60, refresh_token_idle_ttl: 3, refresh_retry_window: 0 })
  for (const client of CLIENTS) {
    const first = await service.signIn(client)
    const second = await service.signIn(client)
    const { refresh_token, access_token } = tokensOf(await service.refresh(client, second.refresh_token))
    await wait(service, 4)
    refused(t, await service.refresh(client, first.refresh_token), `${client}: the first refresh token`)
    refused(t, await service.refresh(client, refresh_token), `${client}: its successor`)
    for (const token of [first.access_token, access_token]) {
      t.strictSame(await accepts(service, token), ACCEPTED, 'the access token is still valid')
    }
  }
})

forEachService('each refresh renews the idle lifetime', async (t, start) => {
  const service = await start({ refresh_token_ttl: 60, refresh_token_idle_ttl: 4, refresh_retry_window: 0 })
  for (const client of CLIENTS) {
    let { refresh_token } = await service.signIn(client)
    for (let round = 0; round < 5; round++) {
      await wait(service, 1)
      const answer = await service.refresh(client, refresh_token)
      t.equal(answer.status, 200, `${client}, after ${round + 1} seconds`)
      refresh_token = tokensOf(answer).refresh_token
    }
  }
})

forEachService('reuse is detected until the family ends, whatever the idle lifetime', async (t, start) => {
  const service = await start({ refresh_token_ttl: 60, refresh_token_idle_ttl: 2, refresh_retry_window: 0 })
  const first = await service.signIn()
  const second = tokensOf(await service.refresh('app', first.refresh_token))
  await wait(service, 3)
  refused(t, await service.refresh('app', second.refresh_token), 'idle for too long')
  t.strictSame(await accepts(service, second.access_token), ACCEPTED)
  refused(t, await service.refresh('app', first.refresh_token), 'reuse')
  t.strictSame(await accepts(service, second.access_token), REFUSED)
})

forEachService('replay of a code is detected as long as any token of the family lives', async (t, start) => {
  const service = await start({ refresh_token_ttl: 4, access_token_ttl: 6 })
  const code = await service.codeFor('app')
  const first = tokensOf(await service.redeem('app', code))
  await wait(service, 2)
  const last = tokensOf(await service.refresh('app', first.refresh_token))
  // The first access token expires with the original grant record, the last one later.
  await pass(service, 5, async () => (await accepts(service, first.access_token)).api === 401)
  const before = await accepts(service, last.access_token)
  t.equal((await service.redeem('app', code)).json.error, 'invalid_grant')
  const after = await accepts(service, last.access_token)
  t.not(after.active, true, `${before.active}, then ${after.active}`)
})
