import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { connect } from 'node:net'
import t from 'tap'
import { type RedisServer, startCluster, startRedis, startSentinel } from '../../support/redis-server.ts'
import { until } from '../../support/until.ts'

const directoryOf = async (redis: RedisServer) =>
  (await redis.cli('CONFIG', 'GET', 'dir')).split('\n')[1] ?? ''
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const accepts = async (port: number) => {
  const socket = connect(port, '127.0.0.1')
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return connected
}

t.test('startRedis runs a Redis on loopback, without persistence, separate from others', async (t) => {
  const [redis, other] = await Promise.all([startRedis(t), startRedis(t)])
  t.equal(await redis.cli('PING'), 'PONG')
  t.equal(redis.url, `redis://127.0.0.1:${redis.port}`)
  t.equal(await redis.cli('CONFIG', 'GET', 'bind'), 'bind\n127.0.0.1')
  t.equal(await redis.cli('CONFIG', 'GET', 'save'), 'save')
  t.equal(await redis.cli('CONFIG', 'GET', 'appendonly'), 'appendonly\nno')
  t.match(await redis.cli('INFO', 'server'), `process_id:${redis.pid}`)

  await redis.cli('SET', 'here', 'yes')
  t.equal(await other.cli('EXISTS', 'here'), '0')
})

t.test('given arguments override the defaults, and an invalid one is an error', async (t) => {
  const redis = await startRedis(t, { args: ['--requirepass', 'hush'] })
  await t.rejects(redis.cli('PING'), { message: /NOAUTH/ }, 'cli rejects on an error reply')
  t.equal(await redis.cli('-a', 'hush', '--no-auth-warning', 'PING'), 'PONG')
  await t.rejects(startRedis(t, { args: ['--no-such-option', '1'] }), { message: /no-such-option/ })
})

t.test('stop and restart keep the port', async (t) => {
  const redis = await startRedis(t)
  const before = redis.pid
  await redis.cli('SET', 'here', 'yes')
  await redis.restart()
  t.not(redis.pid, before)
  t.equal(await redis.cli('EXISTS', 'here'), '0', 'a new process on the same port')

  await redis.stop()
  await redis.stop()
  t.throws(() => redis.pid, { message: /stopped/ })
  await t.rejects(redis.cli('PING'), { message: /Connection refused/ })
})

t.test('a port that is in use is skipped', async (t) => {
  const holder = await startRedis(t)
  const ports = [holder.port, holder.port, 22_001, 22_002, 22_003]
  const redis = await startRedis(t, { nextPort: () => ports.shift() ?? 0 })
  t.not(redis.port, holder.port)
  t.ok(ports.length < 4, 'the port in use was tried')
  t.match(await redis.cli('INFO', 'server'), `process_id:${redis.pid}`)
})

t.test('nothing remains after a test has ended', async (t) => {
  const ends: (() => Promise<void>)[] = []
  const redis = await startRedis({ teardown: (end) => ends.push(end) })
  const directory = await directoryOf(redis)
  t.ok(await exists(directory))
  for (const end of ends) await end()
  await t.rejects(redis.cli('PING'), { message: /Connection refused/ })
  t.notOk(await exists(directory))
})

for (const signal of ['SIGKILL', 'SIGINT'] as const) {
  t.test(`nothing remains after a test process was ended by ${signal}`, async (t) => {
    const program = `
      import { startRedis } from './test/support/redis-server.ts'
      const redis = await startRedis({ teardown() {} })
      await redis.restart()
      console.log(JSON.stringify([redis.port, await redis.cli('CONFIG', 'GET', 'dir')]))
      process.kill(redis.pid, 'SIGSTOP')`
    const args = ['--import=tsx', '--input-type=module', '--eval', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const [line] = await once(child.stdout, 'data')
    const [port, answer] = JSON.parse(String(line))
    const directory = answer.split('\n')[1]
    t.ok(await exists(directory))

    child.kill(signal)
    await exited
    await until(`${directory} is gone`, async () => !(await exists(directory)))
    await until(`nothing listens on port ${port}`, async () => !(await accepts(port)))
  })
}

t.test('sentinels agree on a new master after a failover', async (t) => {
  const { name, sentinels, master, replicas, watchers } = await startSentinel(t)
  t.equal(sentinels.split(',').length, 3)
  await master.stop()
  for (const watcher of watchers) {
    await until('the replica is the master', async () => {
      const address = await watcher.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)
      return address === `127.0.0.1\n${replicas[0]?.port}`
    })
  }
})

t.test('a cluster with replicas spreads its keys over the masters', async (t) => {
  const { nodes, masters, replicas } = await startCluster(t, { replicas: 1 })
  t.equal(nodes.split(',').length, 6)
  t.equal(replicas.length, 3)
  for (const key of ['a', 'b', 'c', 'd']) t.equal(await masters[0]?.cli('-c', 'SET', key, key), 'OK')
  const sizes = await Promise.all(masters.map((master) => master.cli('DBSIZE')))
  t.notOk(sizes.includes('0'), 'a, b and c live on three masters')
})
