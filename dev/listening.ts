import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks. */
const POLL = 250

/**
 * Waits until something takes connections at the address of a URL. No request is sent: the first one may have it read the
 * metadata of the issuer.
 * @returns whether it does in time, in milliseconds
 */
export async function isListening(url: string, within: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const end = performance.now() + within
  while (!(await takesConnections(host, Number(port || (protocol === 'https:' ? 443 : 80))))) {
    if (performance.now() > end) return false
    await pause(POLL)
  }
  return true
}

async function takesConnections(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
