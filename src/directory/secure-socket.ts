import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { DirectoryServer } from '../config/ldap-settings.ts'
import { DirectoryFailure } from './failure.ts'
import { messageSize } from './message-stream.ts'

/** A directory, and the authorities of its certificate in PEM. */
export interface TrustedServer extends DirectoryServer {
  /** Absent: those of Node.js. */
  readonly ca?: string
}

// The request with the message id 1: 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14.1).
const STARTTLS = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
])
/** How long its answer may be, in bytes. */
const MAX_STARTTLS = 4096

/**
 * Connects with a directory: with TLS, if the settings do not say that there is none. What is sent then is read by nobody
 * else.
 * @param signal ends the attempt
 * @throws DirectoryFailure
 */
export async function secureSocket(server: TrustedServer, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = server
  if (tls === 'implicit') return await withTls(server, signal)
  const socket = connect({ host, port, noDelay: true })
  try {
    await happens(socket, 'connect', signal)
    if (tls === 'none') return socket
    await startTls(socket, signal)
    return await withTls(server, signal, socket)
  } catch (error) {
    socket.destroy()
    throw failureOf(error, signal)
  }
}

async function withTls(
  { host, port, ca }: TrustedServer,
  signal: AbortSignal,
  socket?: Socket,
): Promise<Socket> {
  const secure = connectTls({
    host,
    ...(socket === undefined ? { port } : { socket }),
    // RFC 6066 §3: an address is no name.
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    minVersion: 'TLSv1.2',
  })
  try {
    await happens(secure, 'secureConnect', signal)
    secure.setNoDelay(true)
    return secure
  } catch (error) {
    secure.destroy()
    throw failureOf(error, signal)
  }
}

/** Asks for TLS. Whatever follows the answer was said before TLS, by anybody: it is refused. */
async function startTls(socket: Socket, signal: AbortSignal): Promise<void> {
  socket.write(STARTTLS)
  let answer: Buffer = Buffer.alloc(0)
  for (;;) {
    const size = answer.length === 0 ? undefined : messageSize(answer)
    if (size === 'malformed' || answer.length > MAX_STARTTLS) throw new DirectoryFailure('starttls')
    if (size !== undefined && answer.length >= size) {
      socket.pause()
      if (answer.length > size || !isYes(answer)) throw new DirectoryFailure('starttls')
      return
    }
    const [piece] = await happens(socket, 'data', signal)
    answer = Buffer.concat([answer, piece as Buffer])
  }
}

// [APPLICATION 24] with the id of the request and the result 0 (RFC 4511 §4.12). Lengths have one byte or more.
const YES = /^30(?:..|8[1-4](?:..){1,4})02010178(?:..|8[1-4](?:..){1,4}?)0a0100/

const isYes = (answer: Buffer) => YES.test(answer.toString('hex'))

/** Waits for an event, or the end. */
async function happens(socket: Socket, event: string, signal: AbortSignal): Promise<unknown[]> {
  const ended = new AbortController()
  const whichever = AbortSignal.any([signal, ended.signal])
  const onClose = () => ended.abort(new DirectoryFailure('closed'))
  socket.once('close', onClose)
  try {
    return await once(socket, event, { signal: whichever })
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    socket.off('close', onClose)
  }
}

// Of Node.js: https://nodejs.org/api/tls.html#x509-certificate-error-codes
const CERTIFICATE = /CERT|SIGNATURE|SELF_SIGNED|CRL|ALTNAME/

function failureOf(error: unknown, signal: AbortSignal): DirectoryFailure {
  if (error instanceof DirectoryFailure) return error
  if (signal.aborted) return new DirectoryFailure('silent')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ECONNRESET') return new DirectoryFailure('closed')
  return new DirectoryFailure(CERTIFICATE.test(code) ? 'certificate' : 'unreachable', code)
}
