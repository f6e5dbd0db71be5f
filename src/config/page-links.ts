import { isLoopbackHost, isUrl } from '../core/uri.ts'

/** Where the pages link to. Each is an https URL or a path on the origin of the service; absent: there is no link. */
export interface PageLinks {
  /** May be a `mailto:` URL, too. */
  help_url?: string
  sign_up_url?: string
  forgot_password_url?: string
  privacy_url?: string
  terms_url?: string
  imprint_url?: string
}

interface Links extends PageLinks {
  /** Where `/.well-known/change-password` leads: an https URL, or http on loopback. */
  change_password_url?: string
}

/** What a link may be. */
interface Rule {
  readonly accepts: readonly ((text: string) => boolean)[]
  readonly wanted: string
}

const WANTED = 'must be an https URL, or a path of this origin such as /help'
const OF_PAGE: Rule = { accepts: [isOriginPath, isHttpsUrl], wanted: WANTED }

const RULES: Readonly<Record<keyof Links, Rule>> = {
  help_url: {
    accepts: [...OF_PAGE.accepts, isMailAddress],
    wanted: `${WANTED}, or an address such as mailto:help@example.com`,
  },
  sign_up_url: OF_PAGE,
  forgot_password_url: OF_PAGE,
  privacy_url: OF_PAGE,
  terms_url: OF_PAGE,
  imprint_url: OF_PAGE,
  change_password_url: {
    accepts: [isHttpsUrl, isHttpOnLoopback],
    wanted: 'must be an https URL, or http on loopback',
  },
}

/** Returns the invalid fields, each with its problem. */
export function linkProblems(links: Links): [field: keyof Links, problem: string][] {
  return Object.entries(RULES).flatMap(([name, { accepts, wanted }]) => {
    const field = name as keyof Links
    const url = links[field]
    const isValid = url === undefined || accepts.some((accept) => accept(url))
    return isValid ? [] : [[field, wanted] as [keyof Links, string]]
  })
}

/** Whether a URL is absolute, https, has a host that a Content-Security-Policy can name, and no user or password. */
export function isHttpsUrl(text: string): boolean {
  const url = plainUrl(text)
  return url?.protocol === 'https:' && HOST.test(url.host)
}

/** Whether a text is a path on the origin of the service, with or without a query. */
export function isOriginPath(text: string): boolean {
  return PATH.test(text)
}

/** Whether a URL is http on loopback, without user and password. */
export function isHttpOnLoopback(text: string): boolean {
  const url = plainUrl(text)
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname)
}

function isMailAddress(text: string): boolean {
  return MAIL.test(text)
}

/** An absolute URL as it is typed, without user and password. */
function plainUrl(text: string): URL | undefined {
  // `URL` removes or encodes these without complaint, and an empty user name. It ends the host at a "#" in a password.
  if (/[\s\\"'<>]|^\w+:\/\/[^/?#]*(@|:\d+[?#].*@)/.test(text) || !isUrl(text)) return undefined
  return new URL(text)
}

// CSP3 §2.3.1.
const HOST = /^[a-z0-9.-]+(:\d+)?$/
const PATH = /^\/(?!\/)[\w\-.~!$&()*+,;=:@%/?#]*$/
const MAIL = /^mailto:[\w.!#$%&*+/=^`{|}~-]+@[\w.-]+$/
