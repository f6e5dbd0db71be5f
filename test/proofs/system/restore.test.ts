// A Redis that was restored from a backup has what was revoked since; the restore mark refuses it.
import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { SILENT } from '../../support/contract/redis-subject.ts'
import { startRedis } from '../../support/redis-server.ts'
import { requestUrl, signInAndAgree, visitorOf } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { bearer, codeRequest } from '../../support/service.ts'
import { asDeparture } from '../../support/visitor.ts'

const CLIENT = { client_id: 'shop' }

for (const access_token_format of ACCESS_TOKEN_FORMATS) {
  t.test(`nothing that was revoked after the backup comes back: ${access_token_format}`, async (t) => {
    const redis = await startRedis(t)
    const start = async () => {
      const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
      t.teardown(storage.close.bind(storage))
      await storage.probe()
      const service = await scene(t, {
        storage,
        access_token_format,
        bearer_check_revocation: true,
      })
      const isActive = async ({ access_token }: { access_token?: unknown }) =>
        (await service.get('/api/resource', bearer(String(access_token)))).status === 200
      const redeem = async (code: string | null) =>
        (await service.token(codeRequest(code ?? '', CLIENT))).json
      return { ...service, isActive, redeem }
    }

    const before = await start()
    let replica = before
    const alice = visitorOf(() => replica.fastify)
    const tokens = await before.redeem((await signInAndAgree(alice)).told.get('code'))
    t.ok(await before.isActive(tokens))
    await redis.cli('SAVE')
    await before.post('/oauth2/revoke', { ...CLIENT, token: String(tokens.refresh_token) })
    await before.post('/oauth2/revoke', { ...CLIENT, token: String(tokens.access_token) })
    t.notOk(await before.isActive(tokens))

    await redis.restart()
    const after = await start()
    replica = after
    t.ok(await after.isActive(tokens), 'a restored Redis has the token again')
    const { storage, settings, keys } = after.fastify.redmint
    const { redmint } = createCli({ storage, environment: { REDIS_URL: redis.url, ISSUER: settings.issuer } })
    t.match(await redmint(['restore', 'mark', '--yes']), {
      code: 0,
      stdout: /Ended: 1 session, 1 sign-in\./,
    })
    await keys.reload()
    t.notOk(await after.isActive(tokens), 'the access token')
    const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) }
    t.match(await after.token({ ...CLIENT, ...refresh }), { status: 400, json: { error: 'invalid_grant' } })
    const silent = asDeparture(await alice.open(requestUrl({ prompt: 'none' })))
    t.equal(silent.told.get('error'), 'login_required', 'the session')

    after.pass(2)
    const again = await after.redeem((await signInAndAgree(alice)).told.get('code'))
    t.ok(await after.isActive(again), 'a new sign-in')
  })
}
