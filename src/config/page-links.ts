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

const FIELDS: readonly (keyof PageLinks)[] = [
  'help_url',
  'sign_up_url',
  'forgot_password_url',
  'privacy_url',
  'terms_url',
  'imprint_url',
]
const PATH = /^\/(?!\/)[\w\-.~!$&()*+,;=:@%/?#]*$/
const MAIL = /^mailto:[\w.!#$%&*+/=^`{|}~-]+@[\w.-]+$/
const WANTED = 'must be an https URL, or a path of this origin such as /help'

/** Returns the invalid fields, each with its problem. */
export function linkProblems(links: PageLinks): [field: keyof PageLinks, problem: string][] {
  return FIELDS.flatMap((field): [keyof PageLinks, string][] => {
    const url = links[field]
    if (url === undefined || PATH.test(url) || isHttpsUrl(url)) return []
    if (field !== 'help_url') return [[field, WANTED]]
    return MAIL.test(url) ? [] : [[field, `${WANTED}, or an address such as mailto:help@example.com`]]
  })
}

/** Whether a URL is absolute, https, has a host that a Content-Security-Policy can name, and no user or password. */
export function isHttpsUrl(text: string): boolean {
  // `URL` removes or encodes these without complaint.
  if (/[\s\\"'<>]/.test(text) || !URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === '' && HOST.test(host)
}

// CSP3 §2.3.1.
const HOST = /^[a-z0-9.-]+(:\d+)?$/
