import { isPrivateName } from '../../src/core/dev-mode.ts'
import { isLoopbackHost } from '../../src/core/uri.ts'
import { readText, send } from '../../src/outbound/operator-fetch.ts'
import { Cookies } from './cookies.ts'
import type { Form } from './form.ts'
import type { IssuerAnswer } from './issuer-answer.ts'

/** Milliseconds, and bytes of a page. */
const TIMEOUT = 20_000
const MAX_PAGE = 2_000_000
const MAX_REDIRECTS = 20

/** A page on which a browser stays. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly text: string
}

/** Where a browser ends up: on a page, or on its way to the other side, to which it did not go. */
export type Landing =
  | { readonly at: 'page'; readonly page: Page }
  | { readonly at: 'other_side'; readonly url: URL; readonly form?: Form }

/** The relying party does not behave like one: it does not answer, leads to a stranger, or round and round. */
export class Astray extends Error {
  override readonly name = 'Astray'
}

/** A browser with cookies of its own. It goes where answers lead, but not to the other side, nor to public hosts. */
export class Browser {
  readonly #cookies = new Cookies()
  readonly #other_side: string

  /** @param other_side the issuer, or for a browser at the issuer the relying party */
  constructor(other_side: string) {
    this.#other_side = new URL(other_side).origin
  }

  /** Gives it cookies, as a site sets them. */
  keep(url: URL, cookies: readonly string[]): void {
    this.#cookies.keep(url, cookies)
  }

  /** Opens an address, and goes where it leads. @throws Astray */
  open(address: string | URL): Promise<Landing> {
    return this.#go(new URL(address), 'GET')
  }

  /** Submits a form. @throws Astray */
  submit({ action, method, fields }: Form): Promise<Landing> {
    const url = new URL(action)
    if (method === 'POST') return this.#go(url, method, new URLSearchParams(fields.map(toPair)))
    for (const [name, value] of fields) url.searchParams.append(name, value)
    return this.#go(url, method)
  }

  /** Brings an answer of the issuer to the relying party. @throws Astray */
  deliver({ address, parameters, method }: IssuerAnswer): Promise<Landing> {
    return this.submit({ action: address, method, fields: parameters })
  }

  /** Sends one request, and goes nowhere. @throws Astray */
  async request(url: URL, method: 'GET' | 'POST', body?: URLSearchParams): Promise<Response> {
    if (!/^https?:$/.test(url.protocol)) throw new Astray(`It leads to ${url}, which is not http.`)
    if (!isLoopbackHost(url.hostname) && !isPrivateName(url.hostname))
      throw new Astray(
        `It leads to ${url.origin}, which is neither on loopback nor a name of a private network.`,
      )
    const cookie = this.#cookies.headerFor(url)
    const headers = {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'user-agent': 'Mozilla/5.0 (redmint dev check-client)',
      ...(cookie !== '' && { cookie }),
      ...(body && { origin: url.origin }),
    }
    const answer = await send(url.href, { method, headers, ...(body && { body }) }, TIMEOUT).catch(
      (error: Error) => {
        throw new Astray(`${error.message}.`)
      },
    )
    this.#cookies.keep(url, answer.headers.getSetCookie())
    return answer
  }

  async #go(from: URL, as: 'GET' | 'POST', form?: URLSearchParams): Promise<Landing> {
    let [url, method, body] = [from, as, form]
    for (let i = 0; i < MAX_REDIRECTS; i++) {
      if (url.origin === this.#other_side)
        return { at: 'other_side', url, ...(body && { form: formOf(url, body) }) }
      const answer = await this.request(url, method, body)
      const location = answer.headers.get('location')
      if (location === null || answer.status < 300 || answer.status > 399) {
        const text = await readText(answer, url.href, MAX_PAGE).catch((error: Error) => {
          throw new Astray(`${error.message}.`)
        })
        return { at: 'page', page: { url, status: answer.status, text } }
      }
      await answer.body?.cancel()
      url = new URL(location, url)
      // By the specification a 302 keeps the method; in browsers it becomes GET, as with 303.
      if (![307, 308].includes(answer.status)) [method, body] = ['GET', undefined]
    }
    throw new Astray(`${from} redirects more than ${MAX_REDIRECTS} times.`)
  }
}

const toPair = ([name, value]: readonly [string, string]): [string, string] => [name, value]
const formOf = (url: URL, body: URLSearchParams): Form => ({
  action: url.href,
  method: 'POST',
  fields: [...body],
})
