// What strangers can repeat, in the log: a crowd that signs in is one line in a minute, and warnings of others have their room.
import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { overloaded } from '../../../src/core/errors.ts'
import { WARNINGS, WARNINGS_OF_STRANGERS } from '../../../src/core/events.ts'
import type { SignInMethod } from '../../../src/interaction/sign-in-method.ts'
import { ONLY_WORD } from '../../support/interaction/other-methods.ts'
import { createClient } from '../../support/records.ts'
import { requestUrl } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { authorizationRequest, CLIENTS, startService } from '../../support/service.ts'

const busy: SignInMethod = {
  ...ONLY_WORD[0],
  name: 'busy',
  async authenticate() {
    throw overloaded()
  },
}

t.test('a crowd is one warning of the log in a minute, and no line of it is lost below', async (t) => {
  const { visitor, log, pass } = await scene(t, { methods: [busy], second_factor: 'off' })
  const browser = visitor()
  const page = await browser.page(requestUrl())
  const send = async (times: number) => {
    log.length = 0
    for (let i = 0; i < times; i++) await browser.submit(page, { method: 'busy' })
    const levels = log.map((line) => JSON.parse(line)).filter(({ reason }) => reason === 'sign_ins_too_many')
    return levels.map(({ level }) => level)
  }
  t.strictSame(await send(4), [40, 30, 30, 30])
  pass(61)
  t.strictSame(await send(2), [40, 30])
})

t.test('warnings that strangers cause leave the first one of a registered client', async (t) => {
  const { fastify, storage, log } = await startService(t, { par_requests: 1 })
  const clients = { self: { registered_at: '2026-11-28T12:00:00Z' }, one: {}, other: {} }
  for (const [client_id, more] of Object.entries(clients))
    await createClient(storage, client_id, { ...formatClient({ ...CLIENTS.app, client_id }), ...more })
  /** Sends more requests than an address may, from so many of them. Returns how many warnings the log has of it. */
  const warned = async (client_id: string, network: string, addresses: number) => {
    log.length = 0
    for (let i = 0; i < addresses; i++)
      for (const _ of [1, 2])
        await fastify.inject({
          method: 'POST',
          url: '/oauth2/par',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          remoteAddress: `${network}.${i}`,
          payload: new URLSearchParams(authorizationRequest({ client_id })).toString(),
        })
    return log.filter((line) => line.includes('"event":"pushing_limited"')).length
  }
  t.equal(await warned('self', '203.0.113', 80), WARNINGS_OF_STRANGERS)
  t.equal(await warned('one', '203.0.114', 50), WARNINGS.per_owner)
  t.equal(await warned('self', '203.0.115', 5), 0)
  const { warnings } = fastify.redmint
  for (let i = 0; i < 100; i++) warnings.take(`${i}`, `client-${i}`)
  t.equal(await warned('other', '203.0.116', 3), WARNINGS.always, 'whatever others took')
})
