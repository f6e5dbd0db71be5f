// Runs the commands of docs/admin-api.md, unchanged, against a service on Redis.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { describeApi } from '../../../src/admin/door/openapi.ts'
import { OPERATIONS } from '../../../src/admin/operations.ts'
import { ADMIN_SCOPES } from '../../../src/core/admin-scopes.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { jsonOf, paste, REDMINT } from '../../support/paste.ts'
import { startRedis } from '../../support/redis-server.ts'
import { startReady } from '../../support/server.ts'
import { ISSUER } from '../../support/service.ts'

t.test(
  'a service and a person get their rights, and a user is added, found, changed and disabled',
  async (t) => {
    const redis = await startRedis(t)
    const { port } = await startReady(t, { REDIS_URL: redis.url, ADMIN_API: 'on' })
    const page = blocks(await readText('docs/admin-api.md'), 'sh')
    t.equal(page.length, 3)
    const shell = await paste(t, [REDMINT, ...page].join('\n'), {
      ISSUER: `http://localhost:${port}`,
      REDIS_URL: redis.url,
    })
    t.match(await shell.ended, { code: 0 }, shell.stderr)
    t.match(shell.stdout, /carol +active +redmint:read redmint:write/)
    const [added, found, changed, disabled] = jsonOf(shell)
    t.match(added, { username: 'dave', password: 'none', claims: { groups: ['staff'] } })
    t.match(found, { items: [{ username: 'dave' }] })
    t.strictSame(changed?.claims, { email: 'dave@example.com', email_verified: true })
    t.match(disabled, { ended: { sessions: 0 } })
  },
)

t.test('the page has every scope, and the description every operation', async (t) => {
  const page = await readText('docs/admin-api.md')
  for (const scope of ADMIN_SCOPES) t.match(page, `\`${scope}\``)
  const kept = JSON.parse(await readFile('docs/admin-openapi.json', 'utf8'))
  t.strictSame(
    kept,
    JSON.parse(JSON.stringify(describeApi(ISSUER, Object.values(OPERATIONS)))),
    'npm run openapi writes docs/admin-openapi.json',
  )
})
