import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import t from 'tap'
import { TlsConnector } from '../../../../../../src/storage/redis/connection/tls-connector.ts'
import { CN, issue, name } from '../../../../../support/certificates.ts'

t.test('a name is sent as the server name (SNI), an address is not', async (t) => {
  const { pem: cert, key_pem: key } = issue({ subject: name([CN, 'redis']) })
  for (const [host, sent] of [
    ['localhost', ['localhost']],
    ['127.0.0.1', []],
  ] as const) {
    const names: string[] = []
    const SNICallback = (servername: string, done: (error: null) => void) => {
      names.push(servername)
      done(null)
    }
    const server = createServer({ cert, key, SNICallback }).listen(0, host)
    t.teardown(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = await new TlsConnector({ host, port }).connect()
    // After the handshake: nobody trusts the certificate.
    await new Promise((closed) => socket.once('close', closed))
    t.strictSame(names, sent, host)
  }
})
