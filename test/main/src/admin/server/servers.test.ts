import { Redis } from 'ioredis'
import t from 'tap'
import { readConfig } from '../../../../../src/config/config.ts'
import { VARIABLE_DOCS } from '../../../../../src/config/variable-docs.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { operatorOn } from '../../../../support/operator.ts'
import { startRedis } from '../../../../support/redis-server.ts'
import { redisStorage } from '../../../../support/redis-storage.ts'

t.test('read_server has what doctor finds out about Redis, without its password', async (t) => {
  const { url } = await startRedis(t)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  await redis.call('ACL', 'SETUSER', 'redmint', 'on', '>planted-word', '~*', '&*', '+@all')
  const named = new URL(url)
  named.username = 'redmint'
  named.password = 'planted-word'
  const storage = redisStorage(t, { url: named.href }, 'test:')
  const { body } = await operatorOn(storage).run('read_server')
  const found = body.redis as { check: string; level: string }[]
  t.match(
    found.find(({ check }) => check === `rights (${named.host})`),
    { level: 'ok' },
  )
  t.match(
    found.find(({ check }) => check === `eviction (${named.host})`),
    { level: 'ok' },
  )
  t.notMatch(JSON.stringify(body), 'planted-word')
  const in_memory = await operatorOn(new MemoryStorage()).run('read_server')
  t.strictSame(in_memory.body.redis, [])
})

t.test('read_settings names the variable of each setting, and shows no secret', async (t) => {
  const settings = { access_token_ttl: 77, pairwise_salt: 'planted-word-of-16' }
  const { body } = await operatorOn(new MemoryStorage(), { settings }).run('read_settings')
  const items = body.items as { name: string }[]
  const itemOf = (wanted: string) => items.find(({ name }) => name === wanted)
  t.strictSame(itemOf('access_token_ttl'), {
    name: 'access_token_ttl',
    value: '77',
    source: 'option',
    variable: 'ACCESS_TOKEN_TTL',
    docs: VARIABLE_DOCS.ACCESS_TOKEN_TTL,
  })
  t.match(itemOf('refresh_token_ttl'), { source: 'default', variable: 'REFRESH_TOKEN_TTL' })
  t.strictSame(itemOf('pairwise_salt'), {
    name: 'pairwise_salt',
    source: 'option',
    variable: 'PAIRWISE_SALT',
    docs: VARIABLE_DOCS.PAIRWISE_SALT,
  })
  t.notMatch(JSON.stringify(body), 'planted-word')
  t.match(itemOf('client_certificate_proxies'), { variable: 'TRUSTED_PROXIES' })
  const own = operatorOn(new MemoryStorage(), { settings, reads_environment: true })
  const of_process = (await own.run('read_settings')).body.items as { name: string }[]
  t.match(
    of_process.find(({ name }) => name === 'access_token_ttl'),
    { source: 'variable' },
  )
})

t.test('read_settings says what demo mode has set, and what only its operator did', async (t) => {
  const { settings } = readConfig({ DEMO: 'true', SERVICE_NAME: 'Mine' })
  const { run } = operatorOn(new MemoryStorage(), { settings, reads_environment: true })
  const items = (await run('read_settings')).body.items as { name: string; source: string; value: string }[]
  const sourceOf = (wanted: string) => items.find(({ name }) => name === wanted)?.source
  for (const name of ['demo', 'admin_api', 'console', 'accent_color', 'help_url', 'scope_texts'])
    t.equal(sourceOf(name), 'demo', name)
  t.equal(sourceOf('service_name'), 'variable')
  t.equal(sourceOf('code_ttl'), 'default')
  const texts = items.find(({ name }) => name === 'scope_texts')?.value ?? ''
  t.match(JSON.parse(texts), { 'api.read': { en: String } }, 'what is in it is shown, too')
})
