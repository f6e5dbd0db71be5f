// What a person allows of a type with `once` is done one time (the parameter `spend` of introspection).
import { decodeJwt } from 'jose'
import { DETAIL_TYPE } from '../../../../src/details/detail-type.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { forEachService, type Start } from '../../../support/lifecycle.ts'
import { basic, codeRequest } from '../../../support/service.ts'

/** A service with the type, and tokens for a payment that alice allowed. */
async function startPaying(start: Start, fields: Readonly<Record<string, string>> = { once: 'true' }) {
  const service = await start()
  await storePayments(service.storage, fields, ['web'])
  const asked = { client_id: 'web', scope: 'openid api.read', authorization_details: detailsOf() }
  const allow = async () => {
    const { redirect } = await service.authorize(asked)
    const form = codeRequest(String(redirect.get('code')), { client_id: 'web' })
    const { json } = await service.token(form, basic('web'))
    return json as Record<'access_token' | 'refresh_token', string>
  }
  const ask = async (token: string, form: Record<string, string> = {}, client = 'gateway') =>
    (await service.post('/oauth2/introspect', { token, ...form }, basic(client))).json
  return { ...service, allow, ask }
}

const SPEND = { spend: 'true' }

forEachService(
  'a token for something that counts once says so, and is spent once',
  async (t, start, _, format) => {
    const { allow, ask } = await startPaying(start)
    const { access_token } = await allow()
    if (format === 'jwt') t.equal(decodeJwt(access_token).once, true)
    for (const form of [{}, {}, { spend: 'false' }]) {
      const found = await ask(access_token, form)
      t.match(found, { active: true, once: true, authorization_details: [PAYMENT] })
      t.notOk('spent' in found, 'it is not spent by that')
    }
    t.match(await ask(access_token, SPEND), { active: true, once: true, spent: true })
    t.strictSame(await ask(access_token, SPEND), { active: false })
    t.strictSame(await ask(access_token), { active: false })
  },
)

forEachService('the audit trail has it, in the step in which it is done', async (t, start) => {
  const service = await startPaying((options) => start({ ...options, audit: 'on' }))
  const { allow, ask, storage } = service
  const { access_token } = await allow()
  const spent = async () => {
    const entries = await storage.trail.read({ limit: 1000 })
    return entries.map(({ text }) => JSON.parse(text)).filter(({ event }) => event === 'token_spent')
  }
  await Promise.all(Array.from({ length: 5 }, () => ask(access_token, SPEND)))
  const [entry, ...more] = await spent()
  t.match(entry, { actor: { kind: 'client', id: 'gateway' } })
  t.strictSame(more, [], 'those that came too late did nothing')
})

forEachService('C14: of 50 that spend a token at once one may act', async (t, start) => {
  const { allow, ask } = await startPaying(start)
  const { access_token } = await allow()
  const found = await Promise.all(Array.from({ length: 50 }, () => ask(access_token, SPEND)))
  t.equal(found.filter(({ active }) => active === true).length, 1)
  t.equal(found.filter(({ spent }) => spent === true).length, 1)
})

forEachService('C14: whoever finds it live and spends it second may not act', async (t, start) => {
  const { allow, ask, storage } = await startPaying(start)
  const { access_token } = await allow()
  const { families } = storage
  const revokeFamily = families.revokeFamily.bind(families)
  let first: unknown
  families.revokeFamily = async (...given) => {
    families.revokeFamily = revokeFamily
    first = await ask(access_token, SPEND)
    return revokeFamily(...given)
  }
  t.strictSame(await ask(access_token, SPEND), { active: false })
  t.match(first, { active: true, spent: true })
})

forEachService('C14: a spend whose answer was lost is never answered twice', async (t, start) => {
  const { allow, ask, storage, post } = await startPaying(start)
  const { access_token } = await allow()
  const { families } = storage
  const { revokeFamily } = families
  families.revokeFamily = async (...given) => {
    await revokeFamily.apply(families, given)
    throw new StorageUnavailable('the answer was lost')
  }
  t.equal((await post('/oauth2/introspect', { token: access_token, ...SPEND }, basic('gateway'))).status, 503)
  families.revokeFamily = revokeFamily
  t.strictSame(
    await ask(access_token, SPEND),
    { active: false },
    'the act may be lost, and is not done twice',
  )
})

forEachService('no other token of the grant, and none that follows, does it again', async (t, start) => {
  const { allow, ask, refresh } = await startPaying(start)
  const { access_token, refresh_token } = await allow()
  const second = (await refresh('web', refresh_token)).json
  t.match(await ask(String(second.access_token)), { active: true, once: true })
  t.match(await ask(access_token, SPEND), { spent: true })
  t.strictSame(await ask(String(second.access_token), SPEND), { active: false })
  t.match(await refresh('web', String(second.refresh_token)), { status: 400 })
  t.match(await ask((await allow()).access_token, SPEND), { spent: true }, 'another approval is another act')
})

forEachService('only an API can spend, and only what counts once is spent', async (t, start) => {
  const { allow, ask } = await startPaying(start)
  const { access_token } = await allow()
  t.match(await ask(access_token, {}, 'web'), { active: true, once: true })
  t.strictSame(await ask(access_token, SPEND, 'web'), { active: false }, 'its own client is no API')
  t.strictSame(await ask(access_token, SPEND, 'service'), { active: false })
  t.match(await ask(access_token, SPEND), { spent: true }, 'it was not spent by that')
  const other = await startPaying(start, {})
  const plain = (await other.allow()).access_token
  for (const form of [SPEND, SPEND]) {
    const found = await other.ask(plain, form)
    t.match(found, { active: true })
    t.notOk('once' in found || 'spent' in found)
  }
})

forEachService('a type that counts once is not remembered', async (t, start) => {
  const { storage } = await start()
  await storePayments(storage, { once: 'true', remember: 'true' }, ['web'])
  const found = await storage.records.read(DETAIL_TYPE, 'payment')
  t.match(found, { ok: false, problems: [{ field: 'remember' }] })
})
