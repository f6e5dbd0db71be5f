// Clients that users sign out of, and the steps of a user.

import { createHmac } from 'node:crypto'
import type { Test } from 'tap'
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../src/core/log.ts'
import { KeyRing } from '../../../src/keys/ring.ts'
import { signIdToken } from '../../../src/tokens/id-token.ts'
import { RELYING_PARTIES } from '../accounts.ts'
import { requestUrl, signInAndAgree } from '../scene/requests.ts'
import { scene } from '../scene.ts'
import type { TestOptions } from '../service.ts'
import { SECRET } from '../service.ts'
import { asDeparture, type Departure, type Page, type Visitor } from '../visitor.ts'

export const RETURN = 'https://app.example.com/bye'
export const ASKING = 'Sign out of redmint?'
export const DONE = 'You are signed out'
export const STAYED = 'You are still signed in'

const { shop } = RELYING_PARTIES

/** Clients with a post_logout_redirect_uri. */
export const LEAVABLE = {
  /** The client of most tests. */
  mail: {
    ...shop,
    client_id: 'mail',
    client_name: 'Mail',
    post_logout_redirect_uris: [RETURN, `${RETURN}?tenant=a%20b`, 'http://127.0.0.1/bye'],
  },
  news: {
    ...shop,
    client_id: 'news',
    client_name: 'News',
    post_logout_redirect_uris: ['https://news.example.net/out'],
  },
  /** Has pairwise subjects. */
  masked: {
    ...shop,
    client_id: 'masked',
    subject_type: 'pairwise',
    sector_identifier: 'app.example.com',
    post_logout_redirect_uris: [RETURN],
  },
} satisfies Record<string, ClientDefinition>

export type LeavableName = keyof typeof LEAVABLE

export type People = Awaited<ReturnType<typeof startWithLeavers>>

/** A service with users and the clients of LEAVABLE. */
export async function startWithLeavers(t: Test, options: TestOptions = {}) {
  const service = await scene(t, {
    pairwise_salt: 'a salt of at least sixteen characters',
    clients: Object.values(LEAVABLE),
    ...options,
  })
  const { settings } = service.redmint
  const keys = new KeyRing({
    store: service.storage.signing_keys,
    records: service.storage.records,
    settings,
    log: SILENT,
    now: Date.now,
  })
  t.teardown(() => keys.close())
  await keys.start()
  const tokensFor = async (client_id: string, found: Departure) => {
    const { json, text } = await service.redeem(found, client_id)
    if (typeof json.id_token !== 'string') throw new Error(`no id_token: ${text}`)
    return {
      id_token: json.id_token,
      access_token: String(json.access_token),
      refresh_token: String(json.refresh_token),
    }
  }
  return {
    ...service,
    /** Signs in to a client. Returns its tokens. */
    signIn: async (
      visitor: Visitor,
      client_id: LeavableName = 'mail',
      username = 'alice',
      scope = 'openid',
    ) => tokensFor(client_id, await signInAndAgree(visitor, { client_id, scope }, username)),
    /** Continues to a client in a browser that is signed in, and agrees if the user is asked. Returns its tokens. */
    async goOn(visitor: Visitor, client_id: LeavableName = 'mail') {
      const found = await visitor.open(requestUrl({ client_id, scope: 'openid' }))
      if ('location' in found) return tokensFor(client_id, found)
      return tokensFor(client_id, asDeparture(await visitor.submit(found, { decision: 'allow' })))
    },
    /** An id_token of this server; without `sid` as those of the demo shortcut. */
    idTokenOf(subject: string, client_id: LeavableName = 'mail', sid?: string) {
      const sign_in = { subject, auth_time: 1, ...(sid === undefined ? {} : { sid }) }
      const client = { client_id, post_logout_redirect_uris: [`https://${client_id}.example/`] }
      const facts = { client, sign_in, access_token: 'x', claims: {} }
      return signIdToken({ settings, now: Date.now }, { key: keys.signingKey('RS256'), ttl: 900 }, facts)
    },
    /** Whether a browser is signed in, by a request with prompt=none. */
    async isSignedIn(visitor: Visitor) {
      const { told } = asDeparture(await visitor.open(requestUrl({ client_id: 'own', prompt: 'none' })))
      return told.get('error') !== 'login_required'
    },
  }
}

/** The address of a logout request; a parameter that is undefined is left out. */
export function logoutUrl(parameters: Record<string, string | undefined> = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined) as [string, string][]
  return given.length === 0 ? '/oauth2/logout' : `/oauth2/logout?${new URLSearchParams(given)}`
}

/** An id_token with another header, signed by `sign`. */
export function resigned(id_token: string, header: object, sign: (input: string) => string): string {
  const [, payload = ''] = id_token.split('.')
  const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`
  return `${input}.${sign(input)}`
}

/** The id_token as an attacker forges it with the client's secret. */
export const signedBySecret = (id_token: string) =>
  resigned(id_token, { alg: 'HS256', typ: 'JWT' }, (input) =>
    createHmac('sha256', SECRET).update(input).digest('base64url'),
  )

export const unsigned = (id_token: string) => resigned(id_token, { alg: 'none', typ: 'JWT' }, () => '')

/** The result in a line: the title of the page, or the address of the redirect. */
export const seen = (found: Page | Departure) => ('location' in found ? found.location.href : found.title)
