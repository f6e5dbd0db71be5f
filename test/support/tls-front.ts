// TLS before a server of a test, with a certificate that nobody trusts.
import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { CN, der, issue, name, SAN } from './certificates.ts'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => unknown): unknown
}

/**
 * Listens with TLS at a port of loopback, as this host, and passes everything on to another port.
 * @returns its certificate, in PEM
 */
export async function startTlsFront(t: Owner, host: string, port: number, to: number): Promise<string> {
  const { pem, key_pem } = issue({ subject: name([CN, host]), names: [der(SAN.dns, Buffer.from(host))] })
  const server = createServer({ cert: pem, key: key_pem }, (socket) => {
    const behind = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other)
  })
  t.teardown(() => server.close())
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return pem
}
