import type { Reason } from '../core/reasons.ts'
import { textOf } from './texts.ts'

/** Whom a refusal is about, by name; absent: it names nobody. */
interface Named {
  readonly client?: string | undefined
  readonly person?: string | undefined
}

/** The commonest refusals, with who did what. `{client}` and `{person}` stand for names. */
const TITLES: Readonly<Partial<Record<Reason, string>>> = {
  redirect_uri_unregistered: '{client} sent a redirect URI that is not registered',
  client_credentials_wrong: '{client} sent a wrong secret, or none',
  client_authentication_limited: '{client} sent too many wrong secrets',
  client_unknown: 'No application is registered like this',
  client_unnamed: 'The request says of no application that it is from it',
  access_by_group: '{person} is in none of the groups that may use {client}',
  password_wrong: 'The password of {person} was wrong',
  user_unknown: 'Nobody has the name that was typed',
  user_disabled: 'The account of {person} is disabled',
  user_without_password: '{person} has no password',
  password_expired: 'The password of {person} has expired',
  refresh_token_spent: '{client} used a refresh token that was used before',
  refresh_token_unknown: 'The refresh token of {client} has ended',
  code_spent: '{client} used a code that was used before',
  code_unknown: 'The code of {client} has ended',
  code_redirect_uri: '{client} sent another redirect URI than at the start',
  code_verifier_wrong: '{client} sent a PKCE verifier that does not fit',
  code_verifier_missing: '{client} sent no PKCE verifier',
  pkce_challenge_missing: '{client} did not use PKCE',
  scope_not_allowed: '{client} asked for a scope that it may not have',
  upstream_failed: 'The provider did not answer as it should',
  directory_away: 'The directory did not answer as it should',
  sign_ins_limited: 'Too many sign-ins failed',
  token_invalid: 'The token has ended, or never counted',
}

/** What parameters and fields are called in a title. */
const WORDS: Readonly<Record<string, string>> = {
  redirect_uri: 'redirect URI',
  client_id: 'client id',
  client_secret: 'secret',
  client_assertion: 'client assertion',
  client_assertion_type: 'its type',
  code_challenge: 'PKCE challenge',
  code_challenge_method: 'method of PKCE',
  code_verifier: 'PKCE verifier',
  request_uri: 'request URI',
  response_type: 'response type',
  response_mode: 'response mode',
  hint: 'hint of whom to ask',
  id_token_hint: 'hint of who is signed in',
  id_token: 'ID token',
  max_age: 'maximum age',
  dpop_jkt: 'thumbprint of the key',
  grant_type: 'grant type',
  jwks_uri: 'address of keys',
  auth_req_id: 'question to a person',
  device_code: 'device code',
  refresh_token: 'refresh token',
  acr: 'strength of the sign-in',
}
const WORD = new RegExp(`\\b(${Object.keys(WORDS).join('|')})\\b(?!_)`, 'g')

/** Returns what happened as a title: who did what, in words, without the names of parameters. */
export function titleOf(reason: Reason, { client, person }: Named): string {
  const title =
    TITLES[reason] ??
    textOf(reason, 'en')
      .what.replace(/\.$/, '')
      .replace(WORD, (name) => WORDS[name] ?? name)
  const nobody = /^\{/.test(title) ? ['An application', 'A person'] : ['an application', 'a person']
  const filled = (title.charAt(0).toUpperCase() + title.slice(1))
    .replaceAll('{client}', () => client ?? nobody[0] ?? '')
    .replaceAll('{person}', () => person ?? nobody[1] ?? '')
  return filled
}
