import { isIP, isIPv4, isIPv6 } from 'node:net'
import { readEmail } from '../core/email-address.ts'
import { isUrl } from '../core/uri.ts'
import { visibleNameProblem } from '../core/visible-text.ts'

/** The settings of mail. */
export interface MailSettings {
  readonly smtp_url?: string
  readonly smtp_tls: 'required' | 'off'
  /** What redmint calls itself to the SMTP server. */
  readonly smtp_name?: string
  readonly mail_from?: string
}

/** Where mail is handed over. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte on, after STARTTLS, or none. */
  readonly tls: 'implicit' | 'starttls' | 'none'
  /** The client's name in the greeting; absent: that of the machine, if it is a full one. */
  readonly name?: string
  readonly user?: string
  readonly password?: string
}

/** A sender or a recipient. */
export interface MailParty {
  readonly name: string
  readonly address: string
}

/** Whether there is mail: in demo mode a page shows it, but not to everybody who reaches a public demonstration. */
export function hasMail({
  smtp_url,
  demo,
}: Pick<MailSettings, 'smtp_url'> & { readonly demo: boolean | 'private' | 'public' }): boolean {
  return smtp_url !== undefined || demo === true
}

type Problem = [field: keyof MailSettings, problem: string]

/** The settings of open sign-up. */
export interface SignUpSettings extends Pick<MailSettings, 'smtp_url'> {
  readonly sign_up: 'off' | 'open'
  readonly sign_up_url?: string
  readonly demo: boolean | 'private' | 'public'
}

/** Returns why sign-up cannot be open. */
export function signUpProblems(
  settings: SignUpSettings,
  nameOf: (field: keyof SignUpSettings) => string,
): [field: keyof SignUpSettings, problem: string][] {
  if (settings.sign_up === 'off') return []
  const problem = (text: string): [keyof SignUpSettings, string] => ['sign_up', `is open, ${text}`]
  return [
    ...(hasMail(settings)
      ? []
      : [problem(`which needs ${nameOf('smtp_url')}: an address is confirmed first`)]),
    ...(settings.sign_up_url === undefined
      ? []
      : [problem(`and ${nameOf('sign_up_url')} is another page for it: remove one of the two`)]),
  ]
}

// RFC 8314 §7.3, and RFC 6409 §3.1.
const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const

/** Returns the invalid fields, each with its problem, which never has a part of the URL: there is a password in it. */
export function mailProblems(
  settings: MailSettings,
  nameOf: (field: keyof MailSettings) => string,
): Problem[] {
  const { smtp_url, smtp_tls, smtp_name, mail_from } = settings
  const problems: Problem[] = []
  if (smtp_url !== undefined) {
    // Its own check tells of an issuer that is malformed.
    if (readSmtpServer({ ...settings, issuer: 'http://localhost' }) === undefined) {
      problems.push([
        'smtp_url',
        'must be smtps://user:password@host:465 or smtp://user:password@host:587, with special characters in the password percent-encoded, and without path and query',
      ])
    } else if (smtp_url.startsWith('smtps:') && smtp_tls === 'off') {
      problems.push(['smtp_tls', `is off, but ${nameOf('smtp_url')} is smtps: remove one of the two`])
    }
    if (mail_from === undefined) problems.push(['mail_from', `must be set with ${nameOf('smtp_url')}`])
  }
  if (smtp_name !== undefined && !isGreetingName(smtp_name)) {
    problems.push([
      'smtp_name',
      'must be a full host name such as auth.example.com, or an address in brackets: [192.0.2.1] or [IPv6:2001:db8::1]',
    ])
  }
  if (mail_from !== undefined && readSender(mail_from) === undefined) {
    problems.push([
      'mail_from',
      'must be an address such as login@example.com, or a name and an address: Example <login@example.com>',
    ])
  }
  return problems
}

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const FULL_HOST_NAME = new RegExp(`^(?=.{4,253}$)(?:${LABEL}\\.)+(?=\\D)${LABEL}$`)
const ADDRESS_LITERAL = /^\[(IPv6:)?([^\]]+)\]$/

// RFC 5321 §4.1.1.1: a full name, or an address literal (§4.1.3).
function isGreetingName(name: string): boolean {
  const [, is_v6, address = ''] = ADDRESS_LITERAL.exec(name) ?? []
  return FULL_HOST_NAME.test(name) || (is_v6 ? isIPv6(address) : isIPv4(address))
}

/** Returns the host of an issuer if other machines may know it by that name: a full one, and not this machine. */
function fullHostOf(issuer: string): string | undefined {
  const { hostname } = new URL(issuer)
  const is_full = FULL_HOST_NAME.test(hostname) && isIP(hostname) === 0
  // RFC 6761 §6.3: every name below `localhost` is this machine.
  return is_full && !hostname.endsWith('.localhost') ? hostname : undefined
}

/** Reads where mail is handed over; undefined if SMTP_URL is absent or malformed. */
export function readSmtpServer({
  smtp_url = '',
  smtp_tls,
  smtp_name,
  issuer,
}: MailSettings & { readonly issuer: string }): SmtpServer | undefined {
  // `URL` removes or encodes these without complaint, and ends the host at a "#" in a password.
  if (/[\s\\"'<>#?]/.test(smtp_url) || !isUrl(smtp_url)) return undefined
  const { protocol, hostname, port, pathname, username, password } = new URL(smtp_url)
  if (protocol !== 'smtps:' && protocol !== 'smtp:') return undefined
  if (hostname === '' || port === '0' || !['', '/'].includes(pathname)) return undefined
  // A password without a user is a user name with a forgotten colon.
  if (username === '' && password !== '') return undefined
  const name = smtp_name ?? fullHostOf(issuer)
  try {
    return {
      // An IPv6 address is in brackets.
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? PORTS[protocol] : Number(port),
      tls: protocol === 'smtps:' ? 'implicit' : smtp_tls === 'off' ? 'none' : 'starttls',
      ...(name !== undefined && { name }),
      ...(username !== '' && {
        user: decodeURIComponent(username),
        password: decodeURIComponent(password),
      }),
    }
  } catch {
    return undefined
  }
}

const NAMED = /^([^<>"]+)<([^<>]+)>$/

/** Reads a sender; undefined if it is malformed. */
export function readSender(text: string): MailParty | undefined {
  const [, name = '', address = text] = NAMED.exec(text) ?? []
  const email = readEmail(address.trim())
  if (email === undefined || (name !== '' && visibleNameProblem(name) !== undefined)) return undefined
  return { name: name.trim(), address: email.text }
}
