// What sign-ins cost in commands of Redis, as clients see it: the POST of the form.

import t, { type Test } from 'tap'
import { addPasskey, creationOptions } from '../../../../../src/factors/passkeys/create-passkey.ts'
import { readAccount } from '../../../../../src/users/read-account.ts'
import { storeRelyingParties, storeUsers } from '../../../../support/accounts.ts'
import { countCommands, countWith } from '../../../../support/command-counter.ts'
import { BROWSER, optionsOn } from '../../../../support/factors/passkeys/owners.ts'
import { reportsOf, watchesAll } from '../../../../support/records.ts'
import { startRedis } from '../../../../support/redis-server.ts'
import { redisStorage } from '../../../../support/redis-storage.ts'
import { requestUrl } from '../../../../support/scene/requests.ts'
import { scene } from '../../../../support/scene.ts'
import { ISSUER } from '../../../../support/service.ts'
import { SoftwarePasskey } from '../../../../support/software-authenticator.ts'
import { until } from '../../../../support/until.ts'
import type { Page } from '../../../../support/visitor.ts'

t.test('a sign-in by passkey takes as many commands as this', async (t: Test) => {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port)
  const storage = redisStorage(t, counter)
  const { fastify, visitor } = await scene(t, {
    storage,
    // The logout queue is not read meanwhile.
    backchannel: { timing: { poll: 3600 } },
    // Its list of what happened lately is written after the answer.
    account_page: 'off',
  })
  await until('the cached records are watched', () => watchesAll(storage))
  await Promise.all([storeUsers(storage), storeRelyingParties(storage)])
  const { redmint } = fastify
  const alice = await readAccount(redmint, 'alice')
  if (alice === undefined) throw new Error('no alice')
  const passkey = new SoftwarePasskey(ISSUER)
  const options = (await creationOptions(redmint, alice, BROWSER)) ?? {}
  await addPasskey(redmint, alice, passkey.create(options), BROWSER)
  const allReported = reportsOf(storage)
  const count = countWith(storage, counter)

  const cost = async (fields: (page: Page) => Record<string, string>) => {
    const { commands } = await count(async () => {
      const someone = visitor()
      const page = await someone.page(requestUrl({ client_id: 'own' }))
      const action = /<form method="post" action="([^"]*)"/.exec(page.text)?.[1] ?? ''
      const body = new URLSearchParams({ ...page.hidden, ...fields(page) }).toString()
      await allReported()
      return () => someone.request('POST', action, body)
    })
    return commands
  }
  const credential = (known: SoftwarePasskey) => (page: Page) => ({
    method: 'passkey',
    credential: known.get(optionsOn(page)),
  })
  // The first one loads scripts into Redis.
  await cost(credential(passkey))
  const [right, unknown] = [
    await cost(credential(passkey)),
    await cost(credential(new SoftwarePasskey(ISSUER))),
  ]
  t.equal(right.length, 11, `right, with the answer to the client: ${right.join(', ')}`)
  t.equal(unknown.length, 4, `of nobody: ${unknown.join(', ')}`)
})
