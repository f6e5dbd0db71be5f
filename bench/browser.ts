// A user's browser on one connection of the load: cookies, redirects, and sign-in forms.
import { WrongAnswer } from './answers.ts'
import { type Answer, type Connection, headerOf, requestText } from './connection.ts'
import type { Subject } from './subject.ts'

const MAX_STEPS = 12

export class Browser {
  readonly #connection: Connection
  readonly #subject: Subject
  readonly #username: string
  readonly #cookies = new Map<string, string>()

  constructor(connection: Connection, subject: Subject, user: number) {
    this.#connection = connection
    this.#subject = subject
    this.#username = subject.username(user)
  }

  /**
   * Opens an authorization request and signs in where the server asks for it.
   * @returns the parameters for the client
   * @throws WrongAnswer if it does not lead to the redirect_uri
   */
  async authorize(url: URL): Promise<URLSearchParams> {
    let at = url
    let form: URLSearchParams | undefined
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const answer = await this.#visit(at, form)
      const location = headerOf(answer, 'location')
      if (location === undefined) {
        const next = this.#fillIn(answer, at)
        at = next.url
        form = next.form
      } else {
        at = new URL(location, at)
        form = undefined
        if (at.href.startsWith(this.#subject.redirect_uri)) return at.searchParams
      }
    }
    throw new Error(`${url} did not lead back to the client in ${MAX_STEPS} steps`)
  }

  async #visit(url: URL, form: URLSearchParams | undefined): Promise<Answer> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }) }
    const answer = await this.#connection.send(requestText(url, { headers, ...(form && { form }) }))
    for (const [, name = '', value = '', attributes = ''] of answer.headers.matchAll(
      /\r\nset-cookie: *([^=;\r]+)=([^;\r]*)([^\r]*)/gi,
    )) {
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(attributes)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }

  /** The form of a page with the hidden fields of the page, and the user's name and password where it asks for them. */
  #fillIn(answer: Answer, at: URL): { url: URL; form: URLSearchParams } {
    const action = /<form[^>]*\baction="([^"]*)"/.exec(answer.body)?.[1]
    if (answer.status !== 200 || action === undefined) {
      throw new WrongAnswer(`expected a redirect or a form at ${at.pathname}`, answer)
    }
    const form = new URLSearchParams()
    for (const [input] of answer.body.matchAll(/<input\b[^>]*>/g)) {
      const name = attribute(input, 'name')
      if (name === undefined) continue
      if (/^(user(name)?|login)$/.test(name)) form.set(name, this.#username)
      else if (name === 'password') form.set(name, this.#subject.password)
      else if (attribute(input, 'type') === 'hidden') form.set(name, attribute(input, 'value') ?? '')
    }
    return { url: new URL(decode(action), at), form }
  }
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decode(value)
}

function decode(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
}
