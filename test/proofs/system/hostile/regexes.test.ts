import t from 'tap'
import { locationOf } from '../../../../src/authorize/response.ts'
import { claimsOf } from '../../../../src/claims/claims.ts'
import { parseClaimsRequest, readClaimsParameter } from '../../../../src/claims/claims-request.ts'
import { isClientId, parseClient } from '../../../../src/clients/record/client-record.ts'
import {
  commaProblem,
  matchesRedirectUri,
  redirectUriProblem,
} from '../../../../src/clients/record/redirect-uri.ts'
import { brandProblems } from '../../../../src/config/brand.ts'
import { readVariable } from '../../../../src/config/option-form.ts'
import { SCOPE_CLAIMS, type ScopeClaims } from '../../../../src/config/scope-claims.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { formDecode, readParameters } from '../../../../src/core/parameters.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { isScopeToken, resolveScope, scopeNames } from '../../../../src/core/scope.ts'
import { parseToken } from '../../../../src/core/token-string.ts'
import { normalTarget } from '../../../../src/dpop/proof.ts'
import { decodeJwt } from '../../../../src/keys/jwt-reader.ts'
import { html } from '../../../../src/pages/html.ts'
import { Languages } from '../../../../src/pages/languages.ts'
import { plainName } from '../../../../src/pages/text.ts'
import { readBearerToken } from '../../../../src/resource-server/presented-token.ts'
import { isCodeVerifier, isS256Challenge } from '../../../../src/tokens/pkce.ts'
import { readCustomClaims } from '../../../../src/users/custom-claims.ts'
import { isSubject } from '../../../../src/users/user-fields.ts'
import { isUsername } from '../../../../src/users/user-record.ts'
import { clientOf } from '../../../support/fields.ts'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { each, siege } from '../../../support/hostile/siege.ts'
import { CLIENTS } from '../../../support/service.ts'

/** Input that makes patterns backtrack: one character repeated, and an end that does not match. */
function longTexts(length: number): string[] {
  const kinds = ['a', ' ', '=', '.', ':', '0', '%41', '&', 'a ', 'a.']
  const heads = ['', 'http://127.0.0.1:', 'bearer ']
  const tails = ['', '!', '\n']
  return kinds.flatMap((kind) => {
    const middle = kind.repeat(length / kind.length)
    return heads.flatMap((head) => tails.map((tail) => head + middle + tail))
  })
}

const CLAIMS = ['name', 'updated_at'] as const
const NO_CLAIMS: ScopeClaims = new Map()
const userWith = (claims: Hash) => ({ username: 'x', claims, custom_claims: {} })

const client = clientOf({
  ...CLIENTS.app,
  redirect_uris: ['http://127.0.0.1/callback', 'https://app.example.com/callback'],
})

/** Every function in src/ that applies a regular expression to external input. */
const READERS: Record<string, (text: string) => unknown> = {
  readParameters: (text) => attempt(() => readParameters(text)),
  formDecode,
  parseToken,
  isCodeVerifier,
  isS256Challenge,
  isClientId,
  isSubject,
  isUsername,
  isScopeToken,
  scopeNames,
  decodeJwt,
  normalTarget: (text) => normalTarget(`https://a.example/${text}`),
  redirectUriProblem,
  resolveScope: (text) => attempt(() => resolveScope(text, ['a'])),
  matchesRedirectUri: (text) => matchesRedirectUri(text, client.redirect_uris, 'native'),
  commaProblem,
  parseClient: (text) =>
    parseClient('x', {
      redirect_uris: text,
      allowed_scopes: text,
      grant_types: text,
      client_secret_hash: text,
      subject_type: 'pairwise',
      sector_identifier: text,
      post_logout_redirect_uris: text,
      backchannel_logout_uri: text,
    }),
  readClaimsParameter: (text) => attempt(() => readClaimsParameter(text, NO_CLAIMS)),
  parseClaimsRequest: (text) => parseClaimsRequest(text, NO_CLAIMS),
  SCOPE_CLAIMS: (text) => readVariable(SCOPE_CLAIMS, 'SCOPE_CLAIMS', text, []),
  readCustomClaims: (text) => readCustomClaims({ [`claim:${text}`]: text, 'claim:a': text }),
  claimsOf: (text) => claimsOf(userWith({ name: text, updated_at: text }), CLAIMS, SILENT),
  html: (text) => html`<p>${text}</p>`,
  plainName,
  chooseLanguage: (text) => new Languages().choose(text, text),
  brandProblems: (text) => brandProblems({ service_name: text, logo_url: `/${text}`, accent_color: text }),
  locationOf: (text) =>
    locationOf({
      redirect_uri: `https://a.example/?${text}`,
      delivery: 'query',
      parameters: { state: text },
    }),
  // A header has no line breaks: the HTTP parser refuses them.
  readBearerToken: (text) => readBearerToken({ headers: { authorization: text.replaceAll('\n', '') } }),
}

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return error
  }
}

// Linear time is milliseconds. At 200,000 characters, quadratic time exceeds this timeout.
const TIMEOUT_MS = 60_000
for (const [name, read] of Object.entries(READERS)) {
  t.test(`${name} reads long input in linear time`, { timeout: TIMEOUT_MS }, async (t) => {
    for (const text of longTexts(200_000)) read(text)
    t.pass('in time')
  })
}

siege('15 kB of text in every header and parameter are handled', async (t, service) => {
  const texts = longTexts(15_000).map((text) => text.trimEnd())
  await each(t, 'headers', texts, async (text) => {
    const headers = {
      authorization: text,
      accept: text,
      'accept-language': text,
      'content-type': text,
      origin: text,
      'if-none-match': text,
    }
    const replies = [
      await service.send({ method: 'POST', url: '/oauth2/token', headers, payload: 'x' }),
      await service.send({ url: '/oauth2/authorize', headers }),
      await service.send({ url: '/api/resource', headers }),
      await service.send({ url: '/.well-known/jwks.json', headers }),
    ]
    const bad = replies.slice(0, 3).filter(({ status }) => status !== 400 && status !== 401)
    return [...bad, ...replies.slice(3).filter(({ status }) => status !== 200)].map(
      ({ status, body }) => `${status} ${body}`,
    )
  })
  await each(t, 'forms', texts, async (payload) => {
    const headers = { 'content-type': FORM }
    const { status } = await service.send({ method: 'POST', url: '/oauth2/token', headers, payload })
    return status === 400 ? [] : [`status ${status}`]
  })
})
