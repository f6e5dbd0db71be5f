import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailParty, SmtpServer } from '../config/mail-settings.ts'
import { codeFrom } from '../core/third-parties.ts'
import { oneLine } from './smtp-answer.ts'

/** A mail as it leaves. */
export interface OutgoingMail {
  /** The same each time that it is sent, so that mail programs know it again. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * What came of handing a mail over. `refused`: for good; `later`: not now; `away`: the server took no mail at all,
 * whomever it is for; `unknown`: the server had begun to take it and said nothing more.
 */
export interface Delivery {
  readonly outcome: 'sent' | 'refused' | 'later' | 'away' | 'unknown'
  /** What the server said, or why it said nothing: one line. */
  readonly answer: string
  /** Why it is not sent: a code of Node.js, or `SMTP_` and that of the answer. */
  readonly code?: string
}

const SILENCE = 'The server did not answer in time, or closed the connection'

export type SendMail = (mail: OutgoingMail) => Promise<Delivery>

/** In milliseconds. */
export interface SmtpTiming {
  readonly connect: number
  /** Without an answer of the server. */
  readonly silence: number
  /** For all of it. */
  readonly total: number
}

const SMTP_TIMING: SmtpTiming = { connect: 10_000, silence: 20_000, total: 30_000 }

interface SmtpOptions {
  readonly timing?: SmtpTiming
  /** The certificates of authorities besides those of Node.js. */
  readonly ca?: string
}

/** Returns what hands a mail over to an SMTP server. It never rejects. */
export function smtpSender(server: SmtpServer, from: MailParty, options: SmtpOptions = {}): SendMail {
  return async (mail) => {
    const message = await composed(mail, from)
    const { connection, end } = open(server, options)
    let has_begun = false
    try {
      await connected(connection, server)
      has_begun = true
      return { outcome: 'sent', answer: oneLine(await sent(connection, from.address, mail.to, message)) }
    } catch (error) {
      return failed(server, error as SMTPError, has_begun)
    } finally {
      end()
      if (has_begun) connection.quit()
      else connection.close()
    }
  }
}

/** Asks a server whether it would take mail: connects, with TLS and password, and sends none. Returns why not. */
export async function whyNoMail(server: SmtpServer, options: SmtpOptions = {}): Promise<string | undefined> {
  const { connection, end } = open(server, options)
  try {
    await connected(connection, server)
    connection.quit()
    return undefined
  } catch (error) {
    connection.close()
    return oneLine(explained(server, error as SMTPError))
  } finally {
    end()
  }
}

function open(server: SmtpServer, { timing = SMTP_TIMING, ca }: SmtpOptions) {
  const connection = new SMTPConnection({
    host: server.host,
    port: server.port,
    ...(server.name !== undefined && { name: server.name }),
    secure: server.tls === 'implicit',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    connectionTimeout: timing.connect,
    greetingTimeout: timing.connect,
    socketTimeout: timing.silence,
    ...(ca !== undefined && { tls: { ca } }),
  })
  const timer = setTimeout(() => connection.close(), timing.total)
  return { connection, end: () => clearTimeout(timer) }
}

/** What the library adds to an error. */
interface SMTPError extends Error {
  readonly code?: string
  readonly originalCode?: string
  /** The code of the answer (RFC 5321 §4.2). */
  readonly responseCode?: number
  /** The command that was answered. */
  readonly command?: string
}

/** Resolves when the server would take a mail. */
function connected(connection: SMTPConnection, { user, password = '' }: SmtpServer): Promise<void> {
  return new Promise((resolve, reject) => {
    // Errors that belong to no call, and the end by the timer, come here alone.
    connection.on('error', reject)
    onEnd(connection, reject)
    connection.connect((problem) => {
      if (problem) return reject(problem)
      if (user === undefined) return resolve()
      connection.login({ user, pass: password }, (failure) => (failure ? reject(failure) : resolve()))
    })
  })
}

/** Returns the last answer of the server, which has the mail then. */
function sent(connection: SMTPConnection, from: string, to: string, message: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject)
    onEnd(connection, reject)
    connection.send({ from, to: [to] }, message, (failure, info) =>
      failure ? reject(failure) : resolve(info?.response ?? ''),
    )
  })
}

// The library ends the connection before it says why.
function onEnd(connection: SMTPConnection, reject: (error: Error) => void): void {
  connection.on('end', () => setImmediate(() => reject(new Error(SILENCE))))
}

function composed({ id, to, subject, text, html }: OutgoingMail, from: MailParty): Promise<Buffer> {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return new MailComposer({
    from,
    // An object: the library parses no address (GHSA-mm7p-fcc7-pg87).
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    // RFC 3834 §5: no automatic answers.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
}

function failed(server: SmtpServer, error: SMTPError, has_begun: boolean): Delivery {
  const { responseCode, originalCode, code } = error
  const said = responseCode === undefined ? undefined : `SMTP_${responseCode}`
  const about = { answer: oneLine(explained(server, error)), code: codeFrom(said, originalCode, code) }
  // RFC 5321 §4.2.1: 421 is about the connection, whatever the mail is.
  if (!has_begun || responseCode === 421) return { outcome: 'away', ...about }
  if (responseCode === undefined) return { outcome: 'unknown', ...about }
  return { outcome: responseCode >= 500 ? 'refused' : 'later', ...about }
}

// Of Node.js: https://nodejs.org/api/tls.html#x509-certificate-error-codes
const CERTIFICATE = /CERT|ISSUER|SELF_SIGNED|CRL/

/** The commands that say who we are (RFC 5321 §4.1.1.1). */
const GREETINGS: readonly string[] = ['EHLO', 'HELO']

function explained(
  { host, name }: SmtpServer,
  { message, originalCode = '', responseCode, command = '' }: SMTPError,
): string {
  if (CERTIFICATE.test(originalCode))
    return `The certificate of ${host} is not accepted: ${originalCode}. Its authority can be named in NODE_EXTRA_CA_CERTS`
  if (responseCode !== undefined && GREETINGS.includes(command))
    return `${host} refuses the greeting of ${name ?? 'this machine'}: SMTP_NAME can be a full host name that it accepts. ${message}`
  return message
}
