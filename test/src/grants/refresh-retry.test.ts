// Suite: test, proofs
// A retry logs nobody out and makes no second live successor; a copy does not get far.
import { ACCEPTED, accepts, dead, failing, inUse, refused, unavailable } from '../../support/expect.ts'
import {
  type ClientName,
  forEachService,
  type Lifecycle,
  pass,
  type Tokens,
  tokensOf,
} from '../../support/lifecycle.ts'

const CLIENTS: ClientName[] = ['app', 'web']

forEachService('a client that lost the answer asks again and goes on', async (t, start) => {
  const service = await start()
  for (const client of CLIENTS) {
    const { refresh_token } = await service.signIn(client)
    const lost = tokensOf(await service.refresh(client, refresh_token))
    const again = tokensOf(await service.refresh(client, refresh_token))
    t.equal(again.refresh_token, lost.refresh_token, 'the same successor')
    t.not(again.access_token, lost.access_token)
    t.strictSame(await accepts(service, again.access_token), ACCEPTED)
    t.strictSame(await accepts(service, lost.access_token), ACCEPTED)
    const next = tokensOf(await service.refresh(client, again.refresh_token))
    t.strictSame(
      await inUse(service, [refresh_token, again.refresh_token, next.refresh_token]),
      [next.refresh_token],
      'one is in use',
    )
    const late = tokensOf(await service.refresh(client, refresh_token))
    t.equal(late.refresh_token, again.refresh_token, 'a second tab that comes later gets the spent one')
    const caught = tokensOf(await service.refresh(client, late.refresh_token))
    t.equal(caught.refresh_token, next.refresh_token, 'and by that, the one in use')
  }
})

forEachService('a storm through two replicas makes one successor', async (t, start) => {
  const replicas = [await start(), await start()]
  const [service] = replicas as [Lifecycle]
  for (const client of CLIENTS) {
    let { refresh_token } = await service.signIn(client)
    for (let round = 0; round < 3; round++) {
      const storm = Array.from({ length: 30 }, (_, i) => replicas[i % 2]?.refresh(client, refresh_token))
      const answers = await Promise.all(storm as Promise<Awaited<ReturnType<Lifecycle['refresh']>>>[])
      const tokens = answers.map(tokensOf)
      const successors = [...new Set(tokens.map((each) => each.refresh_token))]
      t.equal(successors.length, 1, 'everybody has the same successor')
      t.equal(new Set(tokens.map(({ access_token }) => access_token)).size, 30)
      t.strictSame(await inUse(service, [refresh_token, ...successors]), successors)
      for (const { access_token } of tokens.slice(0, 3)) {
        t.strictSame(await accepts(service, access_token), ACCEPTED)
      }
      refresh_token = successors[0] ?? ''
    }
  }
})

forEachService('strictly, a storm through two replicas leaves nothing', async (t, start) => {
  const replicas = [await start({ refresh_retry_window: 0 }), await start({ refresh_retry_window: 0 })]
  const [service] = replicas as [Lifecycle]
  const first = await service.signIn()
  const storm = Array.from({ length: 30 }, (_, i) => replicas[i % 2]?.refresh('app', first.refresh_token))
  const answers = await Promise.all(storm as Promise<Awaited<ReturnType<Lifecycle['refresh']>>>[])
  const won = answers.filter(({ status }) => status === 200)
  t.equal(won.length, 1)
  for (const answer of answers) if (answer.status !== 200) refused(t, answer, 'the others are refused')
  await dead(t, service, [first, ...won.map(tokensOf)], 'what the winner got is dead')
})

forEachService('strictly, a retry ends the family', async (t, start) => {
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
  t.strictSame(await accepts(service, bystander.access_token), ACCEPTED, 'other families live on')
})

forEachService('reuse after the window ends the family, however far it has gone', async (t, start) => {
  const service = await start({ refresh_retry_window: 1 })
  const first = await service.signIn()
  const family: Tokens[] = [first]
  for (let round = 0; round < 3; round++) {
    const last = family.at(-1) ?? first
    family.push(tokensOf(await service.refresh('app', last.refresh_token)))
  }
  await pass(service, 1, async () => (await service.refresh('app', first.refresh_token)).status !== 200)
  refused(t, await service.refresh('app', first.refresh_token), 'the copy')
  await dead(t, service, family, 'the family')
})

forEachService('a commit whose reply was lost is the same success for the retry', async (t, start, place) => {
  const control = failing(place.open(t))
  const service = await start({ storage: control.storage })
  for (const client of ['app', 'web', 'fixed'] as ClientName[]) {
    const first = await service.signIn(client)
    control.fault = 'after'
    unavailable(t, await service.refresh(client, first.refresh_token), 'nobody knows')
    delete control.fault
    const again = tokensOf(await service.refresh(client, first.refresh_token))
    t.strictSame(await accepts(service, again.access_token), ACCEPTED)
    t.strictSame(
      await inUse(service, [...new Set([first.refresh_token, again.refresh_token])]),
      [again.refresh_token],
      'one is in use',
    )
    t.strictSame(await accepts(service, first.access_token), ACCEPTED)
  }
})

forEachService('refreshes at the moment of a replay win nothing', async (t, start) => {
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
  await dead(t, service, [first, ...won], 'whoever was faster')
  refused(t, await refresh(service), 'afterwards')
})

forEachService('a retry may narrow the scope', async (t, start) => {
  const service = await start()
  const { refresh_token } = await service.signIn()
  const first = await service.refresh('app', refresh_token)
  const retry = await service.refresh('app', refresh_token, { scope: 'api.read' })
  t.match(retry.json, { scope: 'api.read', refresh_token: first.json.refresh_token })
  t.notOk('id_token' in retry.json)
})
