// Holes in the reuse detection of other servers: the check and the use of a refresh token were two steps, so that
// concurrent requests passed both (CVE-2026-1035); the check compared times, so that it failed within one second, or
// after the server was restarted (CVE-2026-9802).
import { dead, refused } from '../../../support/expect.ts'
import { forEachService, type Lifecycle, pass, type Tokens, tokensOf } from '../../../support/lifecycle.ts'

const AT_ONCE = 40
const WINDOW_SECONDS = 1

forEachService(
  'a refresh token in concurrent requests to all replicas has one successor',
  async (t, start) => {
    const replicas = [await start(), await start(), await start()]
    const [service] = replicas as [Lifecycle]
    const { refresh_token } = await service.signIn()
    const storm = Array.from({ length: AT_ONCE }, (_, i) => replicas[i % replicas.length] ?? service)
    const answers = await Promise.all(storm.map((replica) => replica.refresh('app', refresh_token)))
    const successors = new Set(answers.map(tokensOf).map((tokens) => tokens.refresh_token))
    t.equal(successors.size, 1)
    t.notOk(successors.has(refresh_token))
  },
)

forEachService(
  'strict single use: of concurrent requests one succeeds, and the family ends',
  async (t, start) => {
    const replicas = [await start({ refresh_retry_window: 0 }), await start({ refresh_retry_window: 0 })]
    const [service] = replicas as [Lifecycle]
    const first = await service.signIn()
    const storm = Array.from({ length: AT_ONCE }, (_, i) => replicas[i % 2] ?? service)
    const answers = await Promise.all(storm.map((replica) => replica.refresh('app', first.refresh_token)))
    const won = answers.filter(({ status }) => status === 200).map(tokensOf)
    t.equal(won.length, 1)
    await dead(t, service, [first, ...won], 'nobody knows who the thief is')
  },
)

forEachService('rotations within one second are told apart, also by a restarted server', async (t, start) => {
  const options = { refresh_retry_window: WINDOW_SECONDS }
  const service = await start(options)
  const family: Tokens[] = [await service.signIn()]
  for (let round = 0; round < 4; round++) {
    const last = family.at(-1) as Tokens
    family.push(tokensOf(await service.refresh('app', last.refresh_token)))
  }
  const [, stolen] = family as [Tokens, Tokens]
  const restarted = await start(options)
  const refuses = async () => (await restarted.refresh('app', stolen.refresh_token)).status !== 200
  await pass(restarted, WINDOW_SECONDS, refuses)
  refused(t, await restarted.refresh('app', stolen.refresh_token), 'a token that was used long ago')
  await dead(t, restarted, family, 'the family')
})
