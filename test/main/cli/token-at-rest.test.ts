// The token commands where the servers have another TOKENS_AT_REST than the command.
import t from 'tap'
import { SILENT } from '../../../src/core/log.ts'
import { openStorage } from '../../../src/service/open-storage.ts'
import { signJwt } from '../../../src/tokens/jwt.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { claimsOf, ENVIRONMENT, signIn, signingKeyOf } from '../../support/cli/tokens.ts'
import { startRedis } from '../../support/redis-server.ts'

const CASES = [
  ['hashed', 'plain'],
  ['plain', 'hashed'],
] as const

for (const [servers, command] of CASES) {
  t.test(`tokens that the servers store ${servers}, and a command with ${command}`, async (t) => {
    const redis = await startRedis(t)
    const location = { kind: 'single', url: redis.url } as const
    const storage = openStorage({ redis: location, tokens_at_rest: servers }, SILENT)
    t.teardown(() => storage.close())
    const { redmint } = createCli({
      environment: { ...ENVIRONMENT, REDIS_URL: redis.url, TOKENS_AT_REST: command },
      openStorage: (config) => openStorage(config, SILENT),
    })
    const accepted = async (token: string) =>
      parsed(await redmint(['token', 'inspect', token, '--json'])).accepted
    const revoked = async (token: string) => (await storage.families.findToken(token))?.revoked

    const { grant, access_token, refresh_token } = await signIn(storage)
    t.equal(await accepted(access_token), true)
    t.match(await redmint(['token', 'revoke', access_token]), { code: 0 })
    t.equal(await revoked(access_token), 'true')
    t.equal(await accepted(access_token), false)

    const now = Date.now()
    const claims = claimsOf(grant, now)
    const jwt = signJwt(await signingKeyOf(storage, now), 'at+jwt', claims)
    t.equal(await accepted(jwt), true)
    t.match(await redmint(['token', 'revoke', jwt]), { code: 0 })
    t.equal(await revoked(claims.jti), 'true')
    t.equal(await accepted(jwt), false)

    t.match(await redmint(['token', 'revoke', refresh_token]), { code: 0 })
    t.equal(await revoked(refresh_token), 'true')
    t.match(await storage.families.findFamily(grant), { status: 'revoked' })
  })
}
