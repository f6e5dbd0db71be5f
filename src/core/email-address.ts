import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { foldName, nameForm } from './visible-text.ts'

/** An e-mail address in the one spelling in which it is stored, compared and sent to. */
export interface EmailAddress {
  /** As it is stored, shown and sent to. */
  readonly text: string
  /**
   * What two addresses have in common that reach the same person, or look the same: mail servers take the local part in
   * any case.
   */
  readonly key: string
}

// RFC 5321 §4.5.3.1, in octets.
const MAX_LOCAL = 64
const MAX_ADDRESS = 254
// RFC 5321 §4.1.2 Dot-string, and the letters of RFC 6531 §3.3. Never a Quoted-string: servers and libraries disagree
// about them.
const LOCAL = /^(?!\.)(?!.*\.\.)[\w!#$%&'*+/=?^`{|}~.\-\p{L}\p{N}\p{M}]+(?<!\.)$/u
// RFC 1123 §2.1.
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads an address; undefined if it is none that is accepted: `local@domain` without quotes, comments, groups, controls and
 * spaces. Characters that become others in a normalisation are refused, such as a full-width "@" (UTS #36 §2.9), and those
 * that nobody sees.
 */
export function readEmail(given: string): EmailAddress | undefined {
  if (given.length > MAX_ADDRESS || !given.isWellFormed()) return undefined
  const text = given.normalize('NFC')
  if (text !== nameForm(text)) return undefined
  const [local = '', host = '', ...more] = text.split('@')
  if (more.length > 0 || !LOCAL.test(local) || Buffer.byteLength(local) > MAX_LOCAL) return undefined
  const domain = isIP(host) === 0 && /^[\p{L}\p{N}\p{M}.-]+$/u.test(host) ? domainToASCII(host) : ''
  if (!DOMAIN.test(domain) || isIP(domain) !== 0) return undefined
  const address = `${local}@${domain}`
  if (Buffer.byteLength(address) > MAX_ADDRESS) return undefined
  return { text: address, key: foldName(address) }
}
