// What somebody ends in Redis by hand is in the status list.
import { onRedis } from '../../../support/lifecycle.ts'
import { endedOf, startListed } from '../../../support/status-lists.ts'

onRedis(
  'a token, a grant, a user or a client that is ended with redis-cli is ended in the list',
  async (t, start, { server, keys }) => {
    const service = await startListed(start)
    const cli = (...command: string[]) => server.cli(...command)
    const jtiOf = (jwt: string) =>
      String(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).jti)
    const [first, second, third] = [
      await service.signIn(),
      await service.signIn(),
      await service.signIn('web'),
    ]
    const all = [first.access_token, second.access_token, third.access_token]
    t.strictSame(await endedOf(service, ...all), [false, false, false])
    await cli('HSET', keys.token(jtiOf(first.access_token)), 'revoked', 'true')
    t.strictSame(await endedOf(service, ...all), [true, false, false])
    await cli('DEL', keys.family(jtiOf(second.access_token).slice(0, 16)))
    t.strictSame(await endedOf(service, ...all), [true, true, false])
    await cli('HSET', keys.client('web'), 'disabled', 'true')
    t.strictSame(await endedOf(service, ...all), [true, true, true])
  },
  ['jwt'],
)
