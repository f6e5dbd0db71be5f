import { PATHS } from '../../src/core/paths.ts'
import { readText, send } from '../../src/outbound/operator-fetch.ts'
import { readJwt } from '../forge.ts'
import { Astray, Browser, type Landing } from './browser.ts'
import { type Form, formsIn } from './form.ts'
import { changedAnswer, type IssuerAnswer, type Told, toldBy, withResponse } from './issuer-answer.ts'
import type { MadeJwt, Meddler, Meddling } from './meddler.ts'

/** What is known of a relying party before it is driven. */
export interface PartyOptions {
  readonly issuer: string
  /** The address that leads to the issuer. */
  readonly url: string
  /** The address that only people who are signed in may see. */
  readonly signed_in: string
  /** The text that its page shows only to those who are signed in; absent: status and address tell. */
  readonly signed_in_text?: string
  /** Returns the cookies of a new session of the person. */
  sessionOf(): Promise<readonly string[]>
  /** Returns the registered redirect URIs of a client; undefined: there is no such client. */
  redirectUris(client_id: string): Promise<readonly string[] | undefined>
  /** The person who signs in. */
  readonly user: string
  /** Milliseconds that a slow token endpoint takes, and until a token of one second has ended. */
  readonly slow: number
  readonly pause: number
}

/** What is different in a sign-in. */
export interface SignIn {
  /** Absent: one with no cookies. */
  readonly browser?: Browser
  /** How the answers of the server are changed meanwhile. */
  readonly meddling?: Meddling
  /** Changes the answer of the issuer that the browser brings. */
  readonly answer?: (told: Told) => Told
  /** Changes the JWT of a signed one (JARM); undefined: what it says is sent without a signature. */
  readonly response?: (made: MadeJwt) => string | undefined
}

/** A request on its way to the issuer. */
interface Started {
  readonly url: URL
  /** What it asks for, also where that was pushed or signed. */
  readonly request: URLSearchParams
  readonly form?: Form
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
  async start(browser: Browser): Promise<Started> {
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
    // RFC 9101 §5: what is in a signed request counts alone.
    for (const [name, value] of Object.entries(readJwt(request.get('request') ?? '')?.claims ?? {}))
      if (typeof value === 'string') request.set(name, value)
    return request
  }

  /** Lets the person sign in at the issuer. @throws Astray if the issuer refuses the request */
  async authorize(started: Started): Promise<IssuerAnswer> {
    // Nobody can add the person to a request that is signed.
    const reached = started.request.has('request')
      ? await this.#signedIn(started)
      : await this.#named(started)
    const told = toldBy(reached, this.meddler)
    if (told.has('error'))
      throw new Astray(
        `The issuer answers ${told.get('error')}: ${told.get('error_description')} The request was ${started.url}`,
      )
    return reached
  }

  /** In demo mode the person whom a request names counts as signed in. */
  async #named({ url, form }: Started): Promise<IssuerAnswer> {
    const asked = new URL(url)
    for (const [name, value] of form?.fields ?? []) asked.searchParams.append(name, value)
    asked.searchParams.set('subject', this.options.user)
    const page = await send(asked.href, { headers: { accept: 'text/html' } })
    const location = page.headers.get('location')
    const text = await readText(page, asked.href)
    if (location !== null && this.#isElsewhere(location)) return queryAnswer(location)
    return this.#formAnswer({ url: asked, text })
  }

  /** Takes a request to the issuer in a browser in which the person is signed in, and agrees to it. */
  async #signedIn({ url, form, request }: Started): Promise<IssuerAnswer> {
    const person = new Browser(request.get('redirect_uri') ?? this.options.url)
    person.keep(url, await this.options.sessionOf())
    let landing = await (form === undefined ? person.open(url) : person.submit(form))
    const [asks] = landing.at === 'page' ? formsIn(landing.page.text, landing.page.url) : []
    if (asks !== undefined && !this.#isElsewhere(asks.action))
      landing = await person.submit({ ...asks, fields: [...asks.fields, ['decision', 'allow']] })
    if (landing.at === 'page') return this.#formAnswer(landing.page)
    return queryAnswer(landing.url.href)
  }

  #formAnswer({ url, text }: { readonly url: URL; readonly text: string }): IssuerAnswer {
    const back = formsIn(text, url).find(({ action }) => this.#isElsewhere(action))
    if (back !== undefined) return { address: back.action, parameters: back.fields, method: 'POST' }
    throw new Astray(`The issuer does not answer the request of the client: ${reasonIn(text)} It was ${url}`)
  }

  #isElsewhere(address: string): boolean {
    const { issuer } = this.options
    return new URL(address, issuer).origin !== new URL(issuer).origin
  }

  /** Signs the person in, with what is different. @throws Astray; Unchangeable */
  async signIn(different: SignIn = {}): Promise<SignedIn> {
    const { browser = this.newBrowser(), meddling = {}, answer, response } = different
    const started = await this.start(browser)
    const given = await this.authorize(started)
    const changed = answer === undefined ? given : changedAnswer(given, this.meddler, answer)
    this.meddler.meddle(meddling)
    const landing = await browser.deliver(
      response === undefined ? changed : withResponse(changed, this.meddler, response),
    )
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
    if (first.landing.at === 'other_side')
      throw new Astray(
        `The ordinary sign-in fails: the address of the answer, ${first.answer.address}, leads to the issuer again.`,
      )
    const landing = await first.browser.open(signed_in)
    const known = this.#sees(landing)
    if (known === unknown || landing.at === 'other_side' || landing.page.status >= 400)
      throw new Astray(
        `The ordinary sign-in fails, or nothing tells it: after it, ${signed_in} ${inWords(landing)}, as before. ${inWords(first.landing, 'The address of the answer')}. Give a page that nobody else may see, or by --signed-in-text a text that it shows to nobody else.`,
      )
    this.#known = known
    return { ...first, is_signed_in: true }
  }

  #sees(landing: Landing): string {
    if (landing.at === 'other_side') return 'issuer'
    const { status, url, text } = landing.page
    const { signed_in_text: shown } = this.options
    const has_text = shown !== undefined && text.includes(shown)
    return `${status} ${url.origin}${url.pathname}${has_text ? ` with ${shown}` : ''}`
  }
}

/** Returns a landing in words, as the end of a sentence. */
export function inWords(landing: Landing, subject?: string): string {
  const what =
    landing.at === 'other_side'
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
