// One request of each sort that needs no credentials, with texts that are made up anew.
import { randomBytes } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { PATHS, ROOT_PATHS } from '../../../src/core/paths.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { newUserCode } from '../../../src/device/user-code.ts'
import { ASKS } from '../accounts.ts'
import { CIBA_GRANT } from '../asks.ts'
import { DEVICE_GRANT } from '../device.ts'
import { authorizationRequest, basic, bearer, codeRequest } from '../service.ts'

export const text = (length: number) =>
  randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length)
export const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** An address of IPv4, or of a network of its own in IPv6: as a trusted proxy forwards it. */
export function anyAddress(): string {
  const bytes = [...randomBytes(6)]
  if (Math.random() < 0.5) return `1.${bytes.slice(0, 3).join('.')}`
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  return `2001:db8:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1`
}

export const get = (path: string, query: Record<string, string> = {}, headers = {}): InjectOptions => ({
  method: 'GET',
  url: `${path}?${form(query)}`,
  headers,
})
export const post = (path: string, fields: Record<string, string>, headers = {}): InjectOptions => ({
  method: 'POST',
  url: path,
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  payload: form(fields),
})

const json = (path: string, body: object, headers = {}): InjectOptions => ({
  method: 'POST',
  url: path,
  headers: { 'content-type': 'application/json', ...headers },
  payload: JSON.stringify(body),
})
/** A security event token, as far as it has the form of one. */
const set = (path: string): InjectOptions => ({
  method: 'POST',
  url: path,
  headers: { 'content-type': 'application/secevent+jwt' },
  payload: `${text(40)}.${text(400)}.${text(86)}`,
})

/** The sign-in page of one browser: its form can be sent again and again. */
export interface Opened {
  readonly cookie: string
  readonly fields: Record<string, string>
}

const CALLBACK = '/sign-in/acme/callback'

/** One request of each sort, everything in it made up anew. */
export function floodOf({ cookie, fields }: Opened, device: Opened): InjectOptions[] {
  const asked = authorizationRequest({ ...ASKS, state: text(3000), nonce: text(200) })
  const unknown = { unknown: text(8000), [text(30)]: text(1000) }
  const token = newToken(newFamilyId())
  const cookies = { cookie: `__Host-redmint-browser=${text(237)}; __Host-redmint-session=${text(43)}` }
  const sealed = `${text(8)}.${text(1000)}`
  const forwarded = {
    accept: 'text/html',
    'x-forwarded-host': 'intranet.example.org',
    'x-forwarded-method': 'GET',
    'x-forwarded-uri': `/${text(100)}`,
  }
  return [
    get(PATHS.authorize, asked),
    get(PATHS.authorize, { ...asked, ...unknown }, cookies),
    get(PATHS.authorize, { ...asked, state: text(9000) }),
    get(PATHS.authorize, { ...asked, client_id: text(20) }),
    post(PATHS.authorize, { ...asked, prompt: 'login' }),
    get(PATHS.interaction, { transaction: sealed }, cookies),
    get(PATHS.interaction, fields, { cookie }),
    get(PATHS.interaction, { state: `${fields.transaction}.${text(43)}` }, { cookie }),
    post(PATHS.interaction, { transaction: sealed, csrf: text(43), username: text(30) }, cookies),
    post(PATHS.interaction, { ...fields, username: text(30), password: text(30) }, { cookie }),
    get(CALLBACK, { state: `${fields.transaction}.${text(43)}`, code: token }, { cookie }),
    post(CALLBACK, { state: sealed, code: token, user: text(3000) }, cookies),
    post(CALLBACK, { state: sealed, code: token, repeated: 'true' }),
    get(CALLBACK, { state: `link~${text(16)}.${text(43)}`, code: token }, cookies),
    get(PATHS.authorize, { ...asked, idp_hint: 'acme' }, cookies),
    post('/sign-in/acme/backchannel-logout', { logout_token: `${text(40)}.${text(400)}.${text(86)}` }),
    post(PATHS.interaction, { ...fields, method: 'provider:acme' }, { cookie }),
    post(PATHS.language, { language: 'de', page: sealed }),
    get(PATHS.end_session, { state: text(3000), id_token_hint: text(600), ...unknown }, cookies),
    post(PATHS.end_session, { transaction: sealed, csrf: text(43), decision: 'logout' }, cookies),
    post(PATHS.token, { grant_type: 'client_credentials' }, basic(text(20), text(40))),
    post(PATHS.token, { grant_type: 'client_credentials' }, basic('web', text(40))),
    post(PATHS.token, codeRequest(token, { client_id: 'shop' })),
    post(PATHS.token, { grant_type: 'refresh_token', client_id: 'shop', refresh_token: token }),
    post(PATHS.token, { grant_type: DEVICE_GRANT, client_id: 'tv', device_code: token }),
    post(PATHS.par, { ...asked, client_id: text(20) }),
    post(PATHS.par, { ...asked, ...unknown, scope: text(500) }),
    post(PATHS.par, { client_id: 'shop', request: `${text(40)}.${text(4000)}.${text(86)}` }),
    post(PATHS.par, asked, basic('printer', text(40))),
    get(PATHS.authorize, { client_id: 'shop', request_uri: `urn:ietf:params:oauth:request_uri:${token}` }),
    get(PATHS.authorize, { client_id: 'shop', request: `${text(40)}.${text(4000)}.${text(86)}` }),
    post(PATHS.device_authorization, { client_id: text(20), scope: text(500) }),
    post(PATHS.device_authorization, { client_id: 'tv', scope: text(500) }),
    post(PATHS.device_authorization, {}, basic('printer', text(40))),
    get(PATHS.device, { user_code: text(3000), ...unknown }, cookies),
    get(PATHS.device, { user_code: newUserCode(), ui_locales: text(50) }),
    get(PATHS.interaction, device.fields, { cookie: device.cookie }),
    post(PATHS.backchannel_authentication, { login_hint: text(200), scope: 'openid', ...unknown }),
    post(PATHS.backchannel_authentication, { login_hint: 'alice' }, basic('bank', text(40))),
    post(PATHS.token, { grant_type: CIBA_GRANT, auth_req_id: token }, basic(text(20), text(40))),
    get(PATHS.asked, { ask: text(3000), ...unknown }, cookies),
    json(PATHS.global_revocation, { sub_id: { format: 'opaque', id: text(200) } }, bearer(token)),
    set(PATHS.signals),
    set(PATHS.provider_signals.replace(':provider', 'acme')),
    ...[PATHS.signal_stream, PATHS.signal_status, PATHS.signal_add_subject, PATHS.signal_remove_subject].map(
      (path) => json(path, { stream_id: text(200) }, bearer(token)),
    ),
    json(PATHS.signal_verify, { state: text(900) }, bearer(text(43))),
    json(PATHS.signal_poll, {}, bearer(text(43))),
    json(`${PATHS.signal_poll}/${text(22)}`, { ack: [text(22)] }, bearer(text(43))),
    get(PATHS.status_lists),
    get(PATHS.status_list.replace(':list', 'a-list')),
    get(PATHS.status_list.replace(':list', text(22))),
    get(ROOT_PATHS.ssf_configuration),
    post(PATHS.revoke, { token, client_id: 'shop' }),
    post(PATHS.revoke, { token }, basic(text(20), text(40))),
    post(PATHS.introspect, { token }, basic(text(20), text(40))),
    post(PATHS.register, { client_name: text(20) }),
    post(PATHS.register, { client_name: text(20) }, bearer(text(43))),
    get(`${PATHS.register}/${text(20)}`, {}, bearer(text(43))),
    get(PATHS.userinfo, {}, bearer(token)),
    post(PATHS.userinfo, { access_token: token }),
    get('/api/resource', {}, bearer(text(400))),
    get('/.well-known/oauth-protected-resource/api'),
    ...[PATHS.jwks, PATHS.openid_configuration, ROOT_PATHS.oauth_metadata, PATHS.icon].map((path) =>
      get(path),
    ),
    get(PATHS.account, { done: text(200) }, cookies),
    post(`${PATHS.account}/end-others`, { csrf: text(43) }, cookies),
    post(`${PATHS.account}/change-password`, { csrf: text(43), password: text(40) }, { cookie }),
    get(PATHS.reset_password, { link: `${text(16)}.${text(43)}` }, cookies),
    post(PATHS.reset_password, { csrf: text(43), password: text(40), code: '123456' }, cookies),
    get(PATHS.welcome, { link: `${text(16)}.${text(43)}` }, { cookie }),
    post(PATHS.recovery_codes, { codes: text(300) }),
    post(PATHS.welcome, { csrf: text(43), username: text(20), password: text(40) }, cookies),
    ...[PATHS.confirm_address, PATHS.not_me].flatMap((path) => [
      get(path, { link: `${text(16)}.${text(43)}` }, { cookie }),
      post(path, { csrf: text(43) }, cookies),
    ]),
    get(PATHS.sign_up, {}, { cookie }),
    post(PATHS.sign_up, { csrf: text(43), email: `${text(20)}@example.com` }, cookies),
    get(PATHS.forgot_password, {}, { cookie }),
    post(PATHS.forgot_password, { csrf: text(43), username: text(20) }, cookies),
    get(PATHS.demo_mail, {}, { cookie }),
    get(ROOT_PATHS.passkey_endpoints),
    get(PATHS.demo, {}, { cookie }),
    get(PATHS.demo_device, {}, { cookie: `__Secure-redmint-demo-device=${sealed}` }),
    post(PATHS.demo_device, { action: 'check' }, { cookie: `__Secure-redmint-demo-device=${sealed}` }),
    get(ROOT_PATHS.change_password),
    get(PATHS.forward_auth, {}, { ...forwarded, cookie: `__Host-redmint-forward=${sealed}` }),
    get(PATHS.forward_auth, {}, { ...forwarded, 'x-forwarded-host': `${text(20)}.example.org` }),
    get(ROOT_PATHS.forward_callback, { state: sealed, code: token }),
    get(`${ROOT_PATHS.webfinger}?resource=acct:${text(20)}@example.com`),
    ...['/health', '/actuator/health/readiness', `/${text(50)}`].map((path) => get(path)),
  ]
}
