// The password that somebody shows to a directory is nowhere afterwards, and nor is that of redmint itself.

import { Redis } from 'ioredis'
import t from 'tap'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import {
  FAKE_BASE,
  type Instead,
  personNamed,
  resultOf,
  startFakeDirectory,
} from '../../../support/directory/fake-directory.ts'
import { happensAt } from '../../../support/explain/happen.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const PLANTED = ['planted password of carol', 'planted wrong password', 'planted password of redmint']

t.test('no password is in the log, in Redis, on a page, or in an explanation', async (t) => {
  const [right = '', wrong = '', of_redmint = ''] = PLANTED
  const reader = { dn: `cn=redmint,${FAKE_BASE}`, password: of_redmint, attributes: {} }
  const instead: { now?: Instead } = {}
  const people = [{ ...personNamed('carol'), password: right }, reader]
  const { settings } = await startFakeDirectory(t, people, instead)
  const server = await startRedis(t)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const storage = redisStorage(t, server, new RedisKeys('redmint:', 'plain'))
  const service = await scene(t, {
    ...settings,
    explain: { delay: 1 },
    storage,
    audit: 'on',
    ldap_bind_dn: reader.dn,
    ldap_bind_password: reader.password,
    directory_timing: { connect: 1000, answer: 1000 },
  })
  const { signIn, log } = service
  const { happened } = happensAt(t, service)
  const pages: string[] = []
  const open = async (...[name, password]: Parameters<typeof signIn>) => {
    const found = await signIn(name, password)
    pages.push(JSON.stringify('location' in found ? found.location : [found.headers, found.text]))
    return found
  }
  t.ok('location' in (await open('carol', right)))
  t.equal(asPage(await open('carol', wrong)).status, 200)
  t.equal(asPage(await open('nobody', wrong)).status, 200)
  instead.now = ({ ask }, socket, id) => ask === 'bind' && socket.write(resultOf(id, 0x61, 51))
  t.equal(asPage(await open('carol', right)).status, 503)
  for (const reason of ['password_wrong', 'directory_away'] as const) await happened(reason)
  const kept: string[] = []
  for (const key of await redis.keys('*')) kept.push(key, String(await redis.dump(key)))
  t.ok(kept.length > 10)
  const everything = [...log, ...pages, ...kept].join('\n')
  t.match(everything, /directory/)
  for (const password of PLANTED) t.notMatch(everything, password)
})
