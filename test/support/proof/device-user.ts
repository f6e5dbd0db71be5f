// A device that gets its code allowed: its user opens the page in a browser, signs in, and answers.
import { DEMO_PASSWORD, DEMO_USER } from '../../../src/demo/demo-user.ts'
import type { DeviceCodes } from '../device.ts'
import { ISSUER } from '../service.ts'
import { asPage, type Page, Visitor } from '../visitor.ts'
import type { Server } from './client.ts'
import { type Outcome, withoutAnswer } from './history.ts'

const PATIENCE_MS = 5000

/** The user of a device. Their session is known to every replica. */
export class DeviceUser {
  #address = ''
  readonly #visitor: Visitor

  constructor() {
    this.#visitor = new Visitor(async ({ method, url, headers, body }) => {
      const response = await this.#fetch(url, { method, headers, redirect: 'manual', ...(body && { body }) })
      const cookies = { 'set-cookie': response.headers.getSetCookie() }
      const all = { ...Object.fromEntries(response.headers), ...cookies }
      return { status: response.status, headers: all, text: await response.text() }
    }, ISSUER)
  }

  /** Gets a device code at a server, and allows it there: the outcome has it as `code`. */
  async allowed(
    server: Server,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Outcome> {
    this.#address = server.address
    try {
      const body = new URLSearchParams(form)
      const response = await this.#fetch('/oauth2/device_authorization', { method: 'POST', headers, body })
      const { status } = response
      if (status !== 200) return { status, retry_after: response.headers.get('retry-after') ?? '' }
      const { device_code, verification_uri_complete: uri } = (await response.json()) as DeviceCodes
      const page = await this.#answer(uri.slice(ISSUER.length))
      if (page.title === 'The device is connected') return { status: 200, code: device_code }
      // The user starts again, with another code.
      return { status: page.status === 200 ? 503 : page.status, retry_after: '1' }
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error
      // A server that stopped between two steps owed no answer: the user starts again at another one.
      return server.up === false ? { status: 503, retry_after: '1' } : withoutAnswer(error)
    }
  }

  async #answer(path: string): Promise<Page> {
    let page = await this.#visitor.page(path)
    if (page.title === 'Sign in') {
      page = asPage(await this.#visitor.submit(page, { username: DEMO_USER, password: DEMO_PASSWORD }))
    }
    if (!page.buttons.includes('decision=allow')) return page
    return asPage(await this.#visitor.submit(page, { decision: 'allow' }))
  }

  #fetch(url: string, options: RequestInit): Promise<Response> {
    return fetch(this.#address + url, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) })
  }
}
