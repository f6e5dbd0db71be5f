// A user with a browser without a screen: cookies, pages with forms, redirects followed one by one.

export interface Response {
  status: number
  headers: Record<string, string | number | string[] | undefined>
  text: string
}

/** Sends one request to the service; `body` is a form. */
export type Send = (request: {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}) => Promise<Response>

/** The page that a visitor sees. */
export interface Page extends Response {
  /** The path and query of the page. */
  url: string
  title: string
  /** The hidden fields of its form. */
  hidden: Record<string, string>
  /** The names and values of its buttons. */
  buttons: string[]
  /** The cookies set by this visit: names and attributes as they were sent. */
  set_cookies: string[]
}

/** The address outside the service that a browser was redirected to. */
export interface Departure {
  status: number
  location: URL
  /** The parameters for the client. */
  told: URLSearchParams
  set_cookies: string[]
}

const MAX_REDIRECTS = 10

/** A new browser, which shares nothing with others. `origin` is that of the service. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** Where they are sent; those without a path here, everywhere. */
  readonly #paths = new Map<string, string>()
  readonly headers: Record<string, string> = {}
  readonly #send: Send
  readonly #origin: string

  constructor(send: Send, origin: string) {
    this.#send = send
    this.#origin = origin
  }

  /** Opens a URL and follows redirects within the service. */
  async open(url: string): Promise<Page | Departure> {
    return this.#visit('GET', url)
  }

  /** Opens a URL that must show a page. */
  async page(url: string): Promise<Page> {
    return asPage(await this.open(url))
  }

  /** Submits the form of a page with these fields and its hidden ones; a field with the value undefined is left out. */
  async submit(page: Page, fields: Record<string, string | undefined>): Promise<Page | Departure> {
    const text = mainOf(page.text)
    if (!text.includes('<form')) throw new Error(`a page without a form: ${page.status} ${page.title}`)
    const action = /<form (?:class="[^"]*" )?method="post" action="([^"]*)"/.exec(text)?.[1] ?? page.url
    return this.post(decode(action), { ...page.hidden, ...fields })
  }

  /** Posts fields to an address, and goes where the answer leads; a field with the value undefined is left out. */
  async post(
    url: string,
    fields: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Page | Departure> {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    return this.#visit('POST', url, new URLSearchParams(given as [string, string][]).toString())
  }

  /** Sends a form of another site, which comes without cookies, and then the page that repeats it from here. */
  async submitFromElsewhere(url: string, form: Record<string, string>): Promise<Page | Departure> {
    const elsewhere = new Visitor(this.#send, this.#origin)
    const page = asPage(await elsewhere.#visit('POST', url, new URLSearchParams(form).toString()))
    if (page.set_cookies.length > 0) throw new Error('a form without cookies changes them')
    return this.submit(page, {})
  }

  /** Sends one request without following redirects. */
  async request(method: 'GET' | 'POST', url: string, body?: string): Promise<Response> {
    const cookie = this.cookiesFor(url)
    const headers = {
      accept: 'text/html',
      ...this.headers,
      ...(cookie !== '' && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const response = await this.#send({ method, url, headers, ...(body === undefined ? {} : { body }) })
    for (const cookie of setCookies(response)) this.#keep(cookie)
    return response
  }

  /** The cookies that are sent to an address of the service (RFC 6265 §5.4). */
  cookiesFor(url: string): string {
    const [path = ''] = url.split(/[?#]/)
    const isSentTo = (name: string) => {
      const of = this.#paths.get(name) ?? '/'
      return path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`)
    }
    return [...this.cookies]
      .filter(([name]) => isSentTo(name))
      .map((pair) => pair.join('='))
      .join('; ')
  }

  async #visit(method: 'GET' | 'POST', url: string, body?: string): Promise<Page | Departure> {
    const set_cookies: string[] = []
    for (let i = 0; i < MAX_REDIRECTS; i++) {
      const response = await this.request(method, url, body)
      set_cookies.push(...setCookies(response))
      const { location } = response.headers
      if (location === undefined) return { ...response, ...read(response.text), url, set_cookies }
      const target = new URL(String(location), this.#origin + url)
      if (target.origin !== this.#origin) {
        return { status: response.status, location: target, told: target.searchParams, set_cookies }
      }
      // By the specification a 302 keeps the method; in browsers it becomes GET, as with 303.
      method = 'GET'
      body = undefined
      url = target.pathname + target.search
    }
    throw new Error(`${url} redirects in a circle`)
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
    if (/max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) this.cookies.delete(name)
    else this.cookies.set(name, value)
    this.#paths.set(name, /; path=([^;]*)/i.exec(cookie)?.[1] ?? '/')
  }
}

/** @throws Error if the browser was redirected to a client */
export function asPage(found: Page | Departure): Page {
  if ('location' in found) throw new Error(`no page, but a redirect to ${found.location}`)
  return found
}

/** @throws Error if the service shows a page, and none that sends itself to a client */
export function asDeparture(found: Page | Departure): Departure {
  if ('location' in found) return found
  const { status, set_cookies, hidden } = found
  const elsewhere = /<form method="post" action="(https?:[^"]*)"/.exec(mainOf(found.text))?.[1]
  if (elsewhere !== undefined)
    return { status, location: new URL(decode(elsewhere)), told: new URLSearchParams(hidden), set_cookies }
  throw new Error(`still at the service: ${found.status} ${found.title} ${found.text.slice(0, 2000)}`)
}

/** A page, or an address, without its sealed request, whose text is new each time. */
export const withoutTransaction = (text: string) =>
  text
    .replace(/data-passkey-options="[^"]*"/g, '')
    .replace(/(transaction=|name="transaction" value=")[\w.-]+/g, '$1…')
    .replace(/<dl class="note">.*?<\/dl>/s, '')

/** What a page is about: what is around it has forms of its own, which every page has. */
const mainOf = (text: string): string => /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? text

function read(whole: string): Pick<Page, 'title' | 'hidden' | 'buttons'> {
  const text = mainOf(whole)
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const buttons = [...text.matchAll(/<button[^>]*name="([^"]*)" value="([^"]*)"/g)]
  return {
    title: decode(/<h1>(.*?)<\/h1>/s.exec(text)?.[1]?.replace(/<[^>]*>/g, '') ?? ''),
    hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decode(value)])),
    buttons: buttons.map(([, name = '', value = '']) => `${name}=${decode(value)}`),
  }
}

function decode(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
}

function setCookies({ headers }: Response): string[] {
  return [headers['set-cookie'] ?? []].flat().map(String)
}
