// What a browser does not keep, name and value together (RFC 6265 §6.1, and what browsers do).
const MAX_BYTES = 4096

interface Kept {
  readonly name: string
  readonly value: string
  readonly host: string
  /** Whether it is sent to hosts below `host`, too. */
  readonly has_domain: boolean
  readonly path: string
}

/** The cookies of one browser (RFC 6265 §5.3, §5.4). They are the same for all ports of a host. */
export class Cookies {
  readonly #kept = new Map<string, Kept>()

  /** Keeps those that an answer sets, or drops them. */
  keep(url: URL, set: readonly string[]): void {
    for (const line of set) {
      const [pair = '', ...attributes] = line.split(';')
      const cut = pair.indexOf('=')
      const [name, value] = [pair.slice(0, cut).trim(), pair.slice(cut + 1).trim()]
      if (cut < 1 || Buffer.byteLength(name + value) > MAX_BYTES) continue
      const given = new Map(attributes.map(attribute))
      const domain = given.get('domain')?.replace(/^\./, '').toLowerCase()
      if (domain && !isBelow(url.hostname, domain)) continue
      const path = given.get('path')?.startsWith('/') ? (given.get('path') ?? '/') : defaultPath(url)
      const cookie = { name, value, host: domain || url.hostname, has_domain: Boolean(domain), path }
      const key = `${name} ${cookie.host} ${path}`
      if (isGone(given)) this.#kept.delete(key)
      else this.#kept.set(key, cookie)
    }
  }

  /** Returns the header that a request has; empty: none. Loopback counts as secure, as it does in browsers. */
  headerFor({ hostname, pathname }: URL): string {
    return [...this.#kept.values()]
      .filter(({ host, has_domain }) => hostname === host || (has_domain && isBelow(hostname, host)))
      .filter(({ path }) => isUnder(pathname, path))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }
}

function attribute(text: string): [name: string, value: string] {
  const cut = text.indexOf('=')
  return cut === -1
    ? [text.trim().toLowerCase(), '']
    : [text.slice(0, cut).trim().toLowerCase(), text.slice(cut + 1).trim()]
}

function isGone(given: ReadonlyMap<string, string>): boolean {
  const age = given.get('max-age')
  if (age !== undefined) return Number(age) <= 0
  const end = Date.parse(given.get('expires') ?? '')
  return end <= Date.now()
}

const isBelow = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)
const isUnder = (path: string, of: string) => path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`)
const defaultPath = ({ pathname }: URL) => pathname.slice(0, pathname.lastIndexOf('/')) || '/'
