import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { listenProblem } from '../../../../src/config/listen-problem.ts'

const variables = { host: 'HOST', port: 'PORT' }

/** The problem of a real attempt to listen. */
async function problemOf(host: string, port: number): Promise<string> {
  const [error] = await once(createServer().listen(port, host), 'error')
  return listenProblem(error, { host, port, variables })
}

t.test('a port in use', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  t.teardown(() => holder.close())
  await once(holder, 'listening')
  const address = holder.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  t.equal(
    await problemOf('127.0.0.1', port),
    `PORT ${port} on 127.0.0.1 cannot be used: another program listens there. Set PORT to a free port, or stop that program (ss -ltnp sport = :${port} names it).`,
  )
})

t.test('an address of another machine, and a name without an address', async (t) => {
  // RFC 5737 §3: nobody has this address.
  for (const host of ['192.0.2.1', 'nowhere.invalid']) {
    t.equal(
      await problemOf(host, 3000),
      `PORT 3000 on ${host} cannot be used: ${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
    )
  }
})

t.test('a port that needs a right, and any other reason', (t) => {
  const place = { host: '::', port: 80, variables }
  const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
  t.match(listenProblem(denied, place), /^PORT 80 on :: cannot be used: .*Set PORT to a port from 1024 on/)
  const other = Object.assign(new Error('listen EINVAL'), { code: 'EINVAL' })
  t.equal(listenProblem(other, place), 'PORT 80 on :: cannot be used: listen EINVAL. Correct PORT or HOST.')
  t.end()
})
