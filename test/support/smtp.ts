// A real SMTP server that keeps what it is given.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { CN, der, issue, name } from './certificates.ts'

/** A mail that arrived. */
export interface Arrived {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as they were sent. */
  readonly raw: string
  readonly secure: boolean
  readonly user: string | undefined
}

export interface SmtpPlace {
  readonly port: number
  readonly mails: Arrived[]
  /** The certificate of the server, for whoever is to trust it. */
  readonly ca: string
  /** How many connections there were. */
  connections: number
  close(): Promise<void>
}

/** Starts a server on loopback with a certificate for localhost. It takes everything, unless the options say otherwise. */
export async function startSmtp(t: Test, options: SMTPServerOptions = {}): Promise<SmtpPlace> {
  const certificate = issue({
    subject: name([CN, 'localhost']),
    names: [der(0x82, Buffer.from('localhost'))],
    is_authority: true,
  })
  const mails: Arrived[] = []
  const server = new SMTPServer({
    key: certificate.key_pem,
    cert: certificate.pem,
    authOptional: true,
    onConnect(_session, done) {
      place.connections += 1
      done()
    },
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    onData(stream, session, done) {
      void text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  const place: SmtpPlace = {
    port: (listening.address() as AddressInfo).port,
    mails,
    ca: certificate.pem,
    connections: 0,
    close,
  }
  t.teardown(close)
  return place
}

/** The text of a mail as a person reads it: without quoted-printable (RFC 2045 §6.7). */
export function textOf({ raw }: Pick<Arrived, 'raw'>): string {
  const joined = raw.replace(/=\r\n/g, '')
  const octets = joined.replace(/=([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return Buffer.from(octets, 'latin1').toString()
}
