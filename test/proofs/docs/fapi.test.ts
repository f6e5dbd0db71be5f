// Runs the commands of docs/fapi.md, unchanged, and compares its tables with the profiles.
import t from 'tap'
import { PROFILES, withProfile } from '../../../src/clients/record/profiles.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { paste, REDMINT } from '../../support/paste.ts'
import { startRedis } from '../../support/redis-server.ts'

const PAGE = await readText('docs/fapi.md')

t.test('the commands register clients that their profile accepts', async (t) => {
  const redis = await startRedis(t)
  const environment = { REDIS_URL: redis.url }
  const run = (commands: string) => paste(t, [REDMINT, commands].join('\n'), environment)
  const page = blocks(PAGE, 'sh')
  t.equal(page.length, 3)
  const shell = await run(page.join('\n'))
  t.match(await shell.ended, { code: 0 }, shell.stderr)
  for (const [client, profile] of [
    ['bank-app', 'fapi2'],
    ['bank-core', 'fapi2'],
    ['bank-proof', 'fapi2-message-signing'],
  ]) {
    t.equal(await redis.cli('HGET', `redmint:client:${client}`, 'profile'), profile)
    t.equal(await redis.cli('HGET', `redmint:client:${client}`, 'client_secret_hash'), '', 'no secret')
  }
  const contradiction = await run('redmint client update bank-app --require-pkce false')
  t.match(await contradiction.ended, { code: 1 })
  t.match(contradiction.stderr, /require_pkce must be true or absent, because profile is fapi2/)
  await redis.cli('HSET', 'redmint:client:bank-app', 'require_pkce', 'false')
  const lint = await run('redmint client lint bank-app')
  t.match(await lint.ended, { code: 1 })
  t.match(lint.stdout, /require_pkce +must be true or absent, because profile is fapi2/)
})

t.test('each field that a profile sets is on the page', (t) => {
  for (const profile of PROFILES) {
    const { profile: _, ...set } = withProfile({ profile })
    for (const field of Object.keys(set)) {
      t.ok(PAGE.includes(`\`${field}\``) || field.endsWith('_alg'), `${profile}: ${field}`)
    }
  }
  t.end()
})
