import type { Endpoint } from '../../core/endpoints.ts'

/** What each endpoint is, for people. */
const WORDS: Readonly<Record<Endpoint, string>> = {
  authorize: 'the start of a sign-in',
  par: 'a request that was sent ahead',
  interaction: 'the pages of sign-in',
  token: 'the exchange for tokens',
  device_authorization: 'the start of a sign-in on a device',
  backchannel_authentication: 'a question to a person from elsewhere',
  asked: 'the page of what an application asks',
  device: 'the page for the code of a device',
  account: 'the account page',
  link_pages: 'the page of a link in a mail',
  revoke: 'the end of a token',
  introspect: 'a question about a token',
  global_revocation: 'the end of all that a person has',
  signals: 'a signal of a provider or a trusted issuer',
  register: 'an application that registers itself',
  userinfo: 'a question about a person',
  logout: 'the sign-out',
  admin: 'the admin API',
  console: 'the console',
  api: 'an API',
  webfinger: 'a question about an address',
  forward_auth: 'the check of a proxy',
  signal_streams: 'a receiver of security events',
  other: 'another path',
}

/** Returns what an endpoint is, in words. */
export const endpointWords = (endpoint: string): string =>
  Object.hasOwn(WORDS, endpoint) ? WORDS[endpoint as Endpoint] : WORDS.other
