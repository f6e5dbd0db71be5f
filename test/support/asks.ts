// Clients that ask people who are not there, and people who answer them.
import type { Test } from 'tap'
import type { ClientDefinition } from '../../src/clients/record/client-record.ts'
import { pathOf, signInAndAgree, signInOn } from './scene/requests.ts'
import { type Given, scene } from './scene.ts'
import { basic, CLIENTS, codeRequest, REDIRECT_URI, type Service } from './service.ts'
import { asPage, type Page, type Visitor } from './visitor.ts'

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba'

/** A client that may ask people. */
export const BANK = {
  ...CLIENTS.web,
  client_id: 'bank',
  client_name: 'Corner Bank',
  redirect_uris: [REDIRECT_URI],
  allowed_scopes: ['openid', 'profile', 'api.read', 'offline_access'],
  grant_types: ['authorization_code', 'refresh_token', CIBA_GRANT],
  asks_people: true,
} satisfies ClientDefinition

type Form = Record<string, string | undefined>

/** The requests of a client that asks people. */
export function asker({ post, token }: Pick<Service, 'post' | 'token'>, client_id = 'bank') {
  const ask = (form: Form = {}, headers = basic(client_id)) => {
    const sent = { scope: 'openid', login_hint: 'alice', ...form }
    const given = Object.entries(sent).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    return post('/oauth2/bc-authorize', Object.fromEntries(given), headers)
  }
  return {
    ask,
    /** The auth_req_id of a new question. */
    async id(form: Form = {}): Promise<string> {
      const { status, json, text } = await ask(form)
      if (status !== 200) throw new Error(`nobody is asked: ${text}`)
      return String(json.auth_req_id)
    },
    poll: (auth_req_id: string, form: Record<string, string> = {}, headers = basic(client_id)) =>
      token({ grant_type: CIBA_GRANT, auth_req_id, ...form }, headers),
  }
}

/** A service with the client `bank`, which alice signed in to once. */
export async function startWithAsks(t: Test, { clients = [], ...more }: Given = {}) {
  const people = { alice: {}, ...more.people }
  const service = await scene(t, { ask_people: 'on', ...more, people, clients: [BANK, ...clients] })
  const alice = service.visitor()
  const { location } = await signInAndAgree(alice, { client_id: 'bank', scope: 'openid offline_access' })
  const code = location.searchParams.get('code') ?? ''
  const { status } = await service.token(codeRequest(code, { client_id: 'bank' }), basic('bank'))
  if (status !== 200) throw new Error('alice has no tokens of the bank')
  return { ...service, ...asker(service), alice }
}

/** The links to what waits, on the account page of who is signed in. */
export async function waitingFor(visitor: Visitor): Promise<string[]> {
  const page = await visitor.page('/account')
  return [...page.text.matchAll(/href="([^"]*\/asked\?ask=[^"]+)"/g)].map(([, link = '']) => pathOf(link))
}

/** Opens what waits first, and signs in if that is asked. */
export async function openFirst(visitor: Visitor, username = 'alice'): Promise<Page> {
  const [link] = await waitingFor(visitor)
  if (link === undefined) throw new Error('nothing waits')
  const page = await visitor.page(link)
  return page.title.startsWith('Sign in') ? asPage(await signInOn(visitor, page, username)) : page
}

/** Answers what waits first. Returns the page of the result. */
export async function answerFirst(
  visitor: Visitor,
  decision: 'allow' | 'deny' | 'never' = 'allow',
): Promise<Page> {
  return asPage(await visitor.submit(await openFirst(visitor), { decision }))
}
