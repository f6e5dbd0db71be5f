// What is accepted once, in many concurrent requests: pushed requests, assertions of clients, and DPoP proofs.
import type { Test } from 'tap'
import { DEMO_PASSWORD, DEMO_USER } from '../../../src/demo/demo-user.ts'
import { visitorAt } from '../flows/visitor-at.ts'
import { pushedUrl } from '../pushing.ts'
import { ISSUER } from '../service.ts'
import { asPage, type Page, type Visitor } from '../visitor.ts'
import { newClientAssertion, newProof } from './client-with-keys.ts'
import { type Entry, succeeded } from './history.ts'
import { type Sea, Storm, tally, tokensOf } from './storm.ts'

type ClientWithKeys = 'fapi' | 'jwt-fapi'

/** Participants in a storm are not guaranteed to succeed. */
const STORMY = { honest: false }

/** One request_uri in many requests yields one code, with which the client goes on. */
export async function stormOfRequestUris(t: Test, sea: Sea, rounds: number, client: ClientWithKeys) {
  const storm = new Storm(sea, client)
  for (let round = 1; round <= rounds; round++) {
    const request_uri = await storm.push()
    const answers = await storm.gather((client, server) => client.authorize(server, STORMY, request_uri))
    await assertOneCode(t, storm, answers, `${client}, round ${round}`)
  }
}

/** One request_uri that many browsers have open: its users sign in, and then allow it at the same moment. */
export async function stormOfBrowsers(t: Test, sea: Sea, rounds: number, client: ClientWithKeys) {
  const storm = new Storm(sea, client)
  const browsers = Array.from({ length: sea.width }, (_, index) => new Browser(sea, index))
  for (let round = 1; round <= rounds; round++) {
    const request_uri = await storm.push({ prompt: 'consent' })
    const url = pushedUrl(request_uri, { client_id: client })
    await Promise.all(browsers.map((browser) => browser.ask(url)))
    const action = { kind: 'authorize', request_uri } as const
    const answers = await Promise.all(
      browsers.map((browser) => {
        const by = { ...STORMY, server: browser.server.name, request: sea.history.newRequest() }
        return sea.history.record(action, by, () => browser.allow())
      }),
    )
    await assertOneCode(t, storm, answers, `${client}, round ${round}`)
  }
}

async function assertOneCode(t: Test, storm: Storm, answers: readonly Entry[], message: string) {
  const codes = answers.flatMap(({ outcome }) => outcome.code ?? [])
  t.equal(codes.length, 1, `${message}: one code`)
  t.equal(answers.filter(({ outcome }) => outcome.status === 400).length, answers.length - 1, message)
  const [code = ''] = codes
  t.equal(tokensOf([await storm.replay(code)]).length, 1, 'which is good')
}

/** One assertion in many requests at several endpoints authenticates the client once. */
export async function stormOfClientAssertions(t: Test, sea: Sea, rounds: number, client: ClientWithKeys) {
  const storm = new Storm(sea, client)
  const { access_token } = await storm.signIn()
  for (let round = 1; round <= rounds; round++) {
    const way = { ...STORMY, once: { client_assertion: newClientAssertion(client) } }
    const answers = await storm.gather((client, server, index) => {
      const endpoints = [
        () => client.ownToken(server, way),
        () => client.push(server, way),
        () => client.use(server, access_token, 'introspect', way),
        () => client.revoke(server, 'unknown', way),
      ]
      // Each endpoint at each replica, and another one first in each round.
      const endpoint = endpoints[(Math.floor(index / sea.replicas.length) + round) % endpoints.length]
      return endpoint?.() ?? client.ownToken(server, way)
    })
    const refused = answers.filter(({ outcome }) => outcome.error === 'invalid_client')
    t.same(
      [answers.filter(succeeded).length, refused.length],
      [1, sea.width - 1],
      `${client}, round ${round}: one is authenticated`,
    )
  }
}

/** One DPoP proof in many requests is accepted once: for tokens of the client, for a refresh, and with a token. */
export async function stormOfProofs(t: Test, sea: Sea, rounds: number, client: ClientWithKeys) {
  const storm = new Storm(sea, client)
  let { access_token, refresh_token } = await storm.signIn()
  const once = { 200: 1, invalid_dpop_proof: sea.width - 1 }
  for (let round = 1; round <= rounds; round++) {
    const own = { ...STORMY, once: { proof: newProof('POST', '/oauth2/token') } }
    const granted = await storm.gather((client, server) => client.ownToken(server, own))
    t.same(tally(granted), once, `${client}, round ${round}: one token`)

    const again = { ...STORMY, once: { proof: newProof('POST', '/oauth2/token') } }
    const refreshed = await storm.gather((client, server) => client.refresh(server, refresh_token, again))
    t.same(tally(refreshed), once, 'one refresh')
    ;[{ access_token, refresh_token } = { access_token, refresh_token }] = tokensOf(refreshed)

    for (const [place, path] of [
      ['api', '/api/resource'],
      ['userinfo', '/userinfo'],
    ] as const) {
      const way = { ...STORMY, once: { proof: newProof('GET', path, access_token) } }
      const used = await storm.gather((client, server) => client.use(server, access_token, place, way))
      t.same(tally(used), once, `one answer of ${path}`)
    }
  }
}

/** A browser whose requests go to the replicas in turn. */
class Browser {
  readonly #sea: Sea
  readonly #visitor: Visitor
  #turn: number
  #page: Page | undefined

  constructor(sea: Sea, turn: number) {
    this.#sea = sea
    this.#turn = turn
    this.#visitor = visitorAt(ISSUER, () => {
      this.#turn += 1
      return this.server.address
    })
  }

  /** The replica of the last request. */
  get server() {
    const { replicas } = this.#sea
    const server = replicas[this.#turn % replicas.length]
    if (server === undefined) throw new TypeError('there is a replica')
    return server
  }

  /** Opens an authorization request, and signs the user in unless they are. The page then asks for their consent. */
  async ask(url: string): Promise<void> {
    let page = await this.#visitor.page(url)
    if (page.title === 'Sign in') {
      page = asPage(await this.#visitor.submit(page, { username: DEMO_USER, password: DEMO_PASSWORD }))
    }
    if (!page.buttons.includes('decision=allow')) throw new Error(`no consent: ${page.status} ${page.title}`)
    this.#page = page
  }

  /** Allows it. */
  async allow() {
    if (this.#page === undefined) throw new TypeError('nothing is asked')
    const answer = await this.#visitor.submit(this.#page, { decision: 'allow' })
    if (!('location' in answer)) return { status: answer.status }
    const code = answer.told.get('code')
    return code === null ? { status: 302, accepted: false } : { status: 302, code }
  }
}
