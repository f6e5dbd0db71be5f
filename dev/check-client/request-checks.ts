import { type Check, found, PASSED, skipped } from '../report/report.ts'
import type { RelyingParty } from './relying-party.ts'

const OTHER = 'https://issuer.example'

/** Checks before the first sign-in: most clients read the metadata of the issuer but once. */
export const FIRST_CHECKS: readonly Check<RelyingParty>[] = [
  {
    id: 'discovery-issuer',
    title: 'Refuses metadata that name another issuer',
    level: 'refuse',
    about:
      'Metadata of another issuer lead people, codes and secrets to its endpoints (OpenID Connect Discovery §4.3, RFC 8414 §3.3).',
    fix: 'Compare issuer in the metadata with the configured issuer, character by character, and stop if they differ.',
    fixes: {
      go_oidc: 'Leave InsecureIssuerURLContext out.',
      authlib:
        'It compares nothing: compare client.load_server_metadata()["issuer"] with the configured issuer before it is used.',
    },
    run: async (party) => {
      party.meddler.meddle({ metadata: (answer) => ({ ...answer, issuer: OTHER }) })
      const landing = await party.start(party.newBrowser()).catch(() => undefined)
      party.meddler.meddle({})
      const has_read = party.meddler.seen.some(({ path }) => path.includes('/.well-known/o'))
      if (!has_read) return skipped('The client did not read the metadata: it knew them, or never does.')
      return landing === undefined
        ? PASSED
        : found(`The client goes on to the authorization endpoint, although the metadata name ${OTHER}.`)
    },
  },
]

/** Checks of what the client asks the issuer for: they need no sign-in. */
export const REQUEST_CHECKS: readonly Check<RelyingParty>[] = [
  {
    id: 'pkce',
    title: 'Sends a code challenge by S256',
    level: 'refuse',
    about:
      'Without PKCE a stolen or injected code is as good as a password (RFC 9700 §2.1.1, RFC 7636 §4.3).',
    fix: 'Send code_challenge with code_challenge_method=S256, and code_verifier with the code.',
    fixes: {
      openid_client: 'randomPKCECodeVerifier(), calculatePKCECodeChallenge() and pkceCodeVerifier.',
      auth_js: "checks: ['pkce', 'state', 'nonce'] of the provider.",
      spring:
        'OAuth2AuthorizationRequestCustomizers.withPkce() for confidential clients; since 7.0 it is the default.',
      authlib: "client_kwargs={'code_challenge_method': 'S256'}.",
      go_oidc: 'oauth2.S256ChallengeOption(verifier), and oauth2.VerifierOption(verifier) at the exchange.',
    },
    run: async ({ requests: [request] }) => {
      if (!request?.has('code_challenge')) return found('The request has no code_challenge.')
      const method = request.get('code_challenge_method')
      return method === 'S256'
        ? PASSED
        : found(`code_challenge_method is ${method ?? 'absent, which means plain'}.`)
    },
  },
  {
    id: 'redirect-uri',
    title: 'Sends a redirect URI exactly as it is registered',
    level: 'refuse',
    about:
      'Servers compare it as a string (RFC 9700 §2.1). A server for development takes any port of loopback; others do not.',
    fix: 'Configure the redirect URI instead of making it of the request, and register each one that is used.',
    fixes: {
      spring: 'redirect-uri: write the address instead of {baseUrl}, or set server.forward-headers-strategy.',
      auth_js: 'Set AUTH_URL.',
    },
    run: async (party) => {
      const [request] = party.requests
      const client_id = request?.get('client_id') ?? ''
      const registered = await party.options.redirectUris(client_id)
      if (registered === undefined) return found(`There is no client ${client_id}.`)
      const sent = request?.get('redirect_uri') ?? ''
      return registered.includes(sent)
        ? PASSED
        : found(
            `The request has ${sent || 'no redirect_uri'}, and the client has ${registered.join(', ') || 'none'}.`,
          )
    },
  },
  {
    id: 'fresh-values',
    title: 'Has new values of state, nonce and code challenge in each request',
    level: 'refuse',
    about:
      'A value that is used again protects nobody: who saw it once brings an answer of his own (RFC 6749 §10.12, RFC 7636 §7.1).',
    fix: 'Make the values at random for each sign-in, and keep them in the session of the browser.',
    fixes: {
      openid_client:
        'randomState(), randomNonce() and randomPKCECodeVerifier() in the handler, not at the start.',
      go_oidc: 'oauth2.GenerateVerifier() and random state and nonce in the handler.',
    },
    run: async ({ requests: [one, other] }) => {
      const again = ['state', 'nonce', 'code_challenge'].filter(
        (name) => one?.get(name) != null && one.get(name) === other?.get(name),
      )
      return again.length === 0 ? PASSED : found(`Two requests have the same ${again.join(' and ')}.`)
    },
  },
  {
    id: 'state-or-nonce',
    title: 'Sends state or nonce',
    level: 'advice',
    about:
      'They bind the answer to the browser and to the id_token; with PKCE alone both come down to how the verifier is kept (RFC 9700 §2.1).',
    fix: 'Send state, and nonce where there is an id_token.',
    run: async ({ requests: [request] }) =>
      request?.has('state') || request?.has('nonce')
        ? PASSED
        : found('The request has neither state nor nonce.'),
  },
]
