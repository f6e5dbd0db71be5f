// Runs the commands of docs/pushed-requests.md, unchanged, against a service on Redis.
import t from 'tap'
import { blocks, readText } from '../../support/markdown.ts'
import { jsonOf, paste, REDMINT } from '../../support/paste.ts'
import { startRedis } from '../../support/redis-server.ts'
import { requestObject } from '../../support/request-objects.ts'
import { registerClient, startReady } from '../../support/server.ts'
import { CLIENTS, SECRET } from '../../support/service.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'

t.test('a client pushes a request, and then signs it', async (t) => {
  const redis = await startRedis(t)
  const { address } = await startReady(t, { REDIS_URL: redis.url })
  const [push, sign, pushSigned, ...more] = blocks(await readText('docs/pushed-requests.md'), 'sh')
  t.strictSame(more, [])
  await registerClient(redis, CLIENTS.web)
  const key = issuerKey()
  const metadata = await fetch(`${address}/.well-known/openid-configuration`)
  const { issuer } = (await metadata.json()) as { issuer: string }
  const environment = {
    ISSUER: address,
    CLIENT: 'web',
    SECRET,
    REDIS_URL: redis.url,
    KEYS: keySetOf(key),
    REQUEST: requestObject(key, { client_id: 'web', aud: issuer }),
  }
  const shell = await paste(t, [REDMINT, push, sign].join('\n'), environment)
  t.match(await shell.ended, { code: 0 }, shell.stderr)
  const pushed = { request_uri: /^urn:ietf:params:oauth:request_uri:[\w.-]{60}$/, expires_in: 60 }
  t.match(jsonOf(shell)[0], pushed)
  // The server uses the changed record within a second.
  let signed: Record<string, unknown> | undefined
  for (let left = 50; left > 0 && signed?.request_uri === undefined; left -= 1) {
    signed = jsonOf(await paste(t, pushSigned ?? '', environment))[0]
  }
  t.match(signed, pushed)
  t.match(
    jsonOf(await paste(t, push ?? '', environment))[0],
    { error: 'invalid_request' },
    'it must sign now',
  )
})
