// No code, token, secret or operation of a refresh appears in any log line, at the most verbose level.
import t from 'tap'
import { newFamilyId, newToken, parseToken } from '../../../src/core/token-string.ts'
import { failing } from '../../support/expect.ts'
import {
  forEachService,
  type Lifecycle,
  placeOn,
  startReplica,
  type Tokens,
  tokensOf,
} from '../../support/lifecycle.ts'
import { startRedis } from '../../support/redis-server.ts'
import { basic, bearer, SECRET, VERIFIER } from '../../support/service.ts'

/** The parts of each that must not appear: all of it, the secret part, the signature. */
function secretsOf(...texts: string[]): string[] {
  const parts = texts.flatMap((text) => [
    text,
    parseToken(text)?.secret ?? text,
    text.split('.').at(-1) ?? text,
  ])
  return [...new Set([...parts, SECRET, VERIFIER, basic('web').authorization.slice(6)])]
}

/** Sends each token everywhere, as every client. */
async function everywhere(service: Lifecycle, code: string, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    await service.get('/api/resource', bearer(token))
    await service.get('/userinfo', bearer(token))
    await service.post('/userinfo', { access_token: token })
    for (const client of ['app', 'web', 'gateway'] as const) {
      await service.introspect(client, token)
      await service.refresh(client, token, { scope: 'too much' })
      await service.refresh(client, token)
    }
    await service.post('/oauth2/revoke', { token }, basic('web', token))
    await service.post('/oauth2/revoke', { token, client_id: token, client_secret: token })
    await service.get(`/oauth2/revoke?token=${token}`)
    await service.redeem('web', token)
  }
  await service.redeem('app', code)
  for (const client of ['web', 'app'] as const)
    for (const token of tokens) await service.revoke(client, token)
}

forEachService('no secret is logged, with storage working or failing', async (t, start, place) => {
  const control = failing(place.open(t))
  const service = await start({ storage: control.storage, refresh_retry_window: 0 })
  const lines = () => service.log.join('')
  for (const fault of [undefined, 'before', 'after'] as const) {
    const code = await service.codeFor('app')
    const first: Tokens = tokensOf(await service.redeem('app', code))
    const second = tokensOf(await service.refresh('app', first.refresh_token))
    const grant = first.refresh_token.slice(0, 16)
    const { spent_by = 'no refresh' } = (await service.storage.families.findFamily(grant)) ?? {}
    const tokens = [...Object.values(second), ...Object.values(first), newToken(newFamilyId())]
    if (fault) control.fault = fault
    await everywhere(service, code, tokens)
    delete control.fault
    const log = lines()
    t.match(log, /request completed/)
    for (const secret of [spent_by, ...secretsOf(code, ...tokens)]) {
      t.notOk(log.includes(secret), `${fault ?? 'no'} fault: not in ${log.length} characters`)
    }
  }
})

t.test('no secret is logged while Redis refuses, hangs or is gone', async (t) => {
  const redis = await startRedis(t)
  const place = placeOn(redis)
  const service = await startReplica(t, place)
  const code = await service.codeFor('app')
  const first = tokensOf(await service.redeem('app', code))
  const tokens = Object.values(first)
  await redis.cli('SET', place.redis?.keys.token(first.refresh_token) ?? '', 'a wrong type', 'PX', '60000')
  await everywhere(service, code, tokens)
  await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
  await everywhere(service, code, tokens)
  await redis.stop()
  await everywhere(service, code, tokens)
  const log = service.log.join('')
  t.match(log, /Redis answered WRONGTYPE/)
  t.match(log, /Redis answered OOM/)
  t.match(log, /temporarily_unavailable/)
  for (const secret of secretsOf(code, ...tokens)) t.notOk(log.includes(secret))
})
