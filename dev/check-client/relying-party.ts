import { PATHS } from '../../src/core/paths.ts'
import { readText, send } from '../../src/outbound/operator-fetch.ts'
import { Astray, Browser, type IssuerAnswer, type Landing } from './browser.ts'
import { type Form, formsIn } from './form.ts'
import type { Meddler, Meddling } from './meddler.ts'

/** What is known of a relying party before it is driven. */
export interface PartyOptions {
  readonly issuer: string
  /** The address that leads to the issuer. */
  readonly url: string
  /** The address that only people who are signed in may see. */
  readonly signed_in: string
  /** The text that its page shows only to those who are signed in; absent: status and address tell. */
  readonly signed_in_text?: string
  /** Returns the registered redirect URIs of a client; undefined: there is no such client. */
  redirectUris(client_id: string): Promise<readonly string[] | undefined>
  /** The person who signs in. */
  readonly user: string
  /** Milliseconds that a slow token endpoint takes, and until a token of one second has ended. */
  readonly slow: number
  readonly pause: number
}

type Parameters = IssuerAnswer['parameters']

/** What is different in a sign-in. */
export interface SignIn {
  /** Absent: one with no cookies. */
  readonly browser?: Browser
  /** How the answers of the server are changed meanwhile. */
  readonly meddling?: Meddling
  /** Changes the answer of the issuer that the browser brings. */
  readonly answer?: (parameters: Parameters) => Parameters
}

/** A sign-in that is over. */
export interface SignedIn {
  readonly browser: Browser
  /** What the relying party asked for. */
  readonly request: URLSearchParams
  /** The answer as the issuer gave it. */
  readonly answer: IssuerAnswer
  readonly landing: Landing
  readonly is_signed_in: boolean
}

/** A relying party, driven as by a browser. */
export class RelyingParty {
  readonly options: PartyOptions
  readonly meddler: Meddler
  /** What it asked the issuer for so far. */
  readonly requests: URLSearchParams[] = []
  /** What one who is signed in sees. */
  #known: string | undefined

  constructor(options: PartyOptions, meddler: Meddler) {
    this.options = options
    this.meddler = meddler
  }

  /** Returns a browser without cookies. */
  newBrowser(): Browser {
    return new Browser(this.options.issuer)
  }

  /** Opens the address that leads to the issuer. Returns the authorization request. @throws Astray if it leads elsewhere */
  async start(browser: Browser): Promise<{ url: URL; request: URLSearchParams; form?: Form }> {
    const { url } = this.options
    let landing = await browser.open(url)
    // Many have a page with a button first.
    const [form] = landing.at === 'page' ? formsIn(landing.page.text, landing.page.url) : []
    if (form !== undefined) landing = await browser.submit(form)
    if (landing.at === 'page')
      throw new Astray(
        `${url} does not lead to the issuer, but to ${landing.page.url} with status ${landing.page.status}: give the address of a page that needs a sign-in, or the one that begins it, and that page by --signed-in. The page says: ${reasonIn(landing.page.text)}`,
      )
    const request = this.#requestOf(landing)
    this.requests.push(request)
    return { url: landing.url, request, ...(landing.form && { form: landing.form }) }
  }

  #requestOf({ url, form }: { url: URL; form?: Form }): URLSearchParams {
    const pushed = this.meddler.seen.findLast(({ path }) => path === PATHS.par)
    const request = new URLSearchParams(url.searchParams)
    const is_pushed = request.has('request_uri') && pushed !== undefined
    const more = is_pushed ? Object.entries(pushed.form) : (form?.fields ?? [])
    for (const [name, value] of more) request.append(name, String(value))
    return request
  }

  /** Lets the person sign in at the issuer. @throws Astray if the issuer refuses the request */
  async authorize({ url, form }: { url: URL; form?: Form }): Promise<IssuerAnswer> {
    const { issuer, user } = this.options
    const asked = new URL(url)
    // In demo mode the named person counts as signed in.
    for (const [name, value] of form?.fields ?? []) asked.searchParams.append(name, value)
    asked.searchParams.set('subject', user)
    const page = await send(asked.href, { headers: { accept: 'text/html' } })
    const location = page.headers.get('location')
    const text = await readText(page, issuer)
    const isElsewhere = (address: string) => new URL(address, issuer).origin !== new URL(issuer).origin
    const back = formsIn(text, asked).find(({ action }) => isElsewhere(action))
    const answer: IssuerAnswer | undefined =
      location !== null && isElsewhere(location)
        ? queryAnswer(location)
        : back && { address: back.action, parameters: back.fields, method: 'POST' }
    if (answer === undefined)
      throw new Astray(
        `The issuer does not answer the request of the client: ${reasonIn(text)} It was ${url}`,
      )
    const told = new Map(answer.parameters)
    if (told.has('error'))
      throw new Astray(
        `The issuer answers ${told.get('error')}: ${told.get('error_description')} The request was ${url}`,
      )
    return answer
  }

  /** Signs the person in, with what is different. @throws Astray */
  async signIn({ browser = this.newBrowser(), meddling = {}, answer }: SignIn = {}): Promise<SignedIn> {
    const started = await this.start(browser)
    const given = await this.authorize(started)
    this.meddler.meddle(meddling)
    const changed = answer === undefined ? given : { ...given, parameters: answer(given.parameters) }
    const landing = await browser.deliver(changed)
    this.meddler.meddle({})
    const is_signed_in = await this.isSignedIn(browser)
    return { browser, request: started.request, answer: given, landing, is_signed_in }
  }

  /** Whether a browser is signed in. @throws Astray */
  async isSignedIn(browser: Browser): Promise<boolean> {
    return this.#sees(await browser.open(this.options.signed_in)) === this.#known
  }

  /** Learns what tells those who are signed in. @throws Astray if nothing does, or the ordinary sign-in fails */
  async learn(): Promise<SignedIn> {
    const { signed_in } = this.options
    const unknown = this.#sees(await this.newBrowser().open(signed_in))
    const first = await this.signIn()
    if (first.landing.at === 'issuer')
      throw new Astray(
        `The ordinary sign-in fails: the address of the answer, ${first.answer.address}, leads to the issuer again.`,
      )
    const landing = await first.browser.open(signed_in)
    const known = this.#sees(landing)
    if (known === unknown || landing.at === 'issuer' || landing.page.status >= 400)
      throw new Astray(
        `The ordinary sign-in fails, or nothing tells it: after it, ${signed_in} ${inWords(landing)}, as before. ${inWords(first.landing, 'The address of the answer')}. Give a page that nobody else may see, or by --signed-in-text a text that it shows to nobody else.`,
      )
    this.#known = known
    return { ...first, is_signed_in: true }
  }

  #sees(landing: Landing): string {
    if (landing.at === 'issuer') return 'issuer'
    const { status, url, text } = landing.page
    const { signed_in_text: shown } = this.options
    const has_text = shown !== undefined && text.includes(shown)
    return `${status} ${url.origin}${url.pathname}${has_text ? ` with ${shown}` : ''}`
  }
}

/** Returns a landing in words, as the end of a sentence. */
export function inWords(landing: Landing, subject?: string): string {
  const what =
    landing.at === 'issuer'
      ? 'leads to the issuer'
      : `ends at ${landing.page.url.origin}${landing.page.url.pathname} with status ${landing.page.status}`
  return subject === undefined ? what : `${subject} ${what}`
}

function queryAnswer(location: string): IssuerAnswer {
  const url = new URL(location)
  const parameters = [...url.searchParams]
  // The query of the redirect_uri itself is part of them: a browser sends both together.
  url.search = ''
  return { address: url.href, parameters, method: 'GET' }
}

function reasonIn(page: string): string {
  const main = /<main[\s\S]*?<\/main>/.exec(page)?.[0] ?? page
  return main
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
}
