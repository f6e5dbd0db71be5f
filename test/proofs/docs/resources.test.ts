// Runs the commands of docs/resources.md, unchanged, against a service on Redis.
import t from 'tap'
import { blocks, readText } from '../../support/markdown.ts'
import { jsonOf, paste, REDMINT } from '../../support/paste.ts'
import { startRedis } from '../../support/redis-server.ts'
import { registerClient, startReady } from '../../support/server.ts'
import { CLIENTS, SECRET } from '../../support/service.ts'

t.test('an API that is registered gets a token of its own', async (t) => {
  const redis = await startRedis(t)
  const { address } = await startReady(t, { REDIS_URL: redis.url })
  const page = blocks(await readText('docs/resources.md'), 'sh')
  t.equal(page.length, 3)
  const environment = { ISSUER: address, CLIENT: 'machine', SECRET, REDIS_URL: redis.url }
  await registerClient(redis, {
    ...CLIENTS.service,
    client_id: 'machine',
    grant_types: ['client_credentials'],
    allowed_scopes: ['orders.read', 'other'],
  })
  const shell = await paste(
    t,
    [REDMINT, ...page, 'redmint resource list', 'redmint resource lint'].join('\n'),
    environment,
  )
  t.match(await shell.ended, { code: 0 }, shell.stderr)
  t.match(jsonOf(shell)[0], { token_type: 'Bearer', scope: 'orders.read' })
  for (const uri of ['https://api.example.com', 'https://mcp.example.com/mcp', 'https://files.example.com']) {
    t.match(shell.stdout, uri)
  }
  t.match(shell.stdout, '3 resources: 0 errors, 1 warning.')
})
