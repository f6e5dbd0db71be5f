// Authorization codes as the authorization endpoint issues them, and the tokens that clients get for them.

import { decodeJwt } from 'jose'
import { type ClientDefinition, formatClient } from '../../../src/clients/record/client-record.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { CODE, type CodeRecord, formatCode } from '../../../src/tokens/code-record.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { RELYING_PARTIES, storeRelyingParties, storeUsers } from '../accounts.ts'
import { createClient } from '../records.ts'
import { type Answer, basic, bearer, type Service, VERIFIER } from '../service.ts'

const { shop, wiki } = RELYING_PARTIES

/** The clients of test/support/accounts.ts, and further clients for the tests of claims. */
const PARTIES = {
  ...RELYING_PARTIES,
  /** May only request the e-mail address. */
  letter: { ...shop, client_id: 'letter', allowed_scopes: ['openid', 'email'] },
  /** Has pairwise subs; `discreet-too` is in the same sector. */
  discreet: { ...wiki, client_id: 'discreet', subject_type: 'pairwise' },
  'discreet-too': { ...wiki, client_id: 'discreet-too', subject_type: 'pairwise' },
  /** Reads the claims of its scopes from the id_token; its users are pairwise. */
  portal: { ...wiki, client_id: 'portal', subject_type: 'pairwise', scope_claims_in_id_token: true },
} satisfies Record<string, ClientDefinition>
export type Party = keyof typeof PARTIES

/** The default sign-in of alice at a client. */
export const SIGN_IN = {
  subject: 'sub-of-alice',
  auth_time: 1_700_000_000,
  username: 'alice',
  sid: 'a-session-of-alice',
  amr: 'pwd',
  acr: '1',
} as const

/** Stores users and clients. */
export async function populate(storage: Storage): Promise<void> {
  await storeUsers(storage)
  await storeRelyingParties(storage)
  for (const name of ['letter', 'discreet', 'discreet-too', 'portal'] as const) {
    await createClient(storage, name, formatClient(PARTIES[name]))
  }
}

/** Saves a code; a field overridden with undefined is left out. */
export async function saveCode(
  storage: Storage,
  party: Party,
  overrides: { [Field in keyof CodeRecord]?: CodeRecord[Field] | undefined } = {},
): Promise<string> {
  const code = newToken(newFamilyId())
  const record = {
    client_id: party,
    redirect_uri: String(PARTIES[party].redirect_uris[0]),
    scope: 'openid',
    code_challenge: s256Challenge(VERIFIER),
    nonce: 'a nonce',
    ...SIGN_IN,
    ...overrides,
  }
  const given = Object.entries(record).filter(([, value]) => value !== undefined)
  await storage.records.put({
    kind: CODE,
    id: code,
    hash: formatCode(Object.fromEntries(given) as unknown as CodeRecord),
    ttl: 60,
  })
  return code
}

/** Sends a form to the token endpoint as this client. */
export function ask({ token }: Service, party: Party, form: Record<string, string>): Promise<Answer> {
  return PARTIES[party].is_public ? token({ client_id: party, ...form }) : token(form, basic(party))
}

/** Redeems a code; a parameter overridden with undefined is left out. */
export function redeem(
  service: Service,
  party: Party,
  code: string,
  overrides: Record<string, string | undefined> = {},
): Promise<Answer> {
  const form = {
    grant_type: 'authorization_code',
    redirect_uri: String(PARTIES[party].redirect_uris[0]),
    code,
    code_verifier: VERIFIER,
    ...overrides,
  }
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return ask(service, party, Object.fromEntries(given))
}

/** Redeems a new code of a client and returns the tokens. */
export async function tokensOf(
  service: Service,
  party: Party,
  overrides: Parameters<typeof saveCode>[2] = {},
): Promise<Tokens> {
  const code = await saveCode(service.storage, party, overrides)
  return readTokens(await redeem(service, party, code))
}

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
  /** The verified claims of the id_token. */
  claims: Record<string, unknown>
}

/** The tokens of a token response. */
export function readTokens({ status, text, json }: Answer): Tokens {
  if (status !== 200) throw new Error(`no tokens, but ${status} ${text}`)
  const id_token = String(json.id_token)
  return {
    access_token: String(json.access_token),
    refresh_token: String(json.refresh_token),
    id_token,
    claims: decodeJwt(id_token),
  }
}

/** The response of the UserInfo endpoint. */
export const userInfo = ({ get }: Service, { access_token }: Pick<Tokens, 'access_token'>) =>
  get('/userinfo', bearer(access_token))
