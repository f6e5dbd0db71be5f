import type { ThirdPartyFault } from '../../admin/third-parties.ts'
import { type Html, html } from '../../pages/html.ts'
import { text } from '../pages/parts.ts'

/** What each step of asking somebody else is, in words. */
const STEPS: Readonly<Record<string, string>> = {
  discovery: 'when its settings were asked for',
  token: 'at the exchange of the code for tokens',
  keys: 'when its keys were asked for',
  userinfo: 'when it was asked who the person is',
  id_token: 'when its answer about the person was checked',
  answer: 'when it sent the browser back',
  connect: 'when it was to be reached',
  bind: 'when it was to be asked',
  search: 'when the person was looked for',
  notice: 'when it was to be told something',
}

/** What the commonest codes mean. */
const CODES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by nobody whom this server trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by nobody whom this server trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is signed by nobody whom this server trusts',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host',
  ECONNREFUSED: 'Nobody answers at its address',
  ENOTFOUND: 'Its host is not known',
  EAI_AGAIN: 'Its host cannot be looked up',
  ETIMEDOUT: 'It did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'It did not answer in time',
  ECONNRESET: 'It broke the connection off',
  invalid_client: 'It does not accept the secret of this server',
}

const wordOf = (words: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(words, name) ? words[name] : undefined

/** What a fault is, such as "Its certificate has expired, at the exchange of the code for tokens". */
export function faultWords({ code, step }: Pick<ThirdPartyFault, 'code' | 'step'>): string {
  const status = /^HTTP_(\d{3})$/.exec(code)?.[1]
  const what =
    wordOf(CODES, code) ??
    (status === undefined ? 'It did not answer as it should' : `It answered with the status ${status}`)
  const where = wordOf(STEPS, step)
  return where === undefined ? what : `${what}, ${where}`
}

/** Who failed, such as "Sign-in with partner". */
export function partyWords({ party, is, name }: Pick<ThirdPartyFault, 'party' | 'is' | 'name'>): Html {
  if (party === 'provider') return html`Sign-in with ${text(name ?? '')}`
  const words = is.charAt(0).toUpperCase() + is.slice(1)
  return name === undefined ? html`${words}` : html`${words} ${text(name)}`
}
