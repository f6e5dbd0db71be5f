import { isSubject } from '../../../src/users/user-fields.ts'
import { DEVICE_GRANT } from '../device.ts'
import { authorizationRequest, codeRequest, REDIRECT_URI, SECRET } from '../service.ts'
import { type Attack, type Reply, refusalFaults, type Siege } from './siege.ts'

/** The expected outcome: served, refused with a status and code, or refused by redirect. */
export type Verdict = 'served' | { status: number; error: string } | { redirected: string }

/** An endpoint that takes parameters. */
export interface Endpoint {
  name: string
  /** Every known parameter, and an unknown one. */
  fields: readonly string[]
  /** Whether errors are shown as pages. */
  page: boolean
  /** Valid parameters; codes and refresh tokens are unused. */
  right(service: Siege): Promise<Record<string, string>>
  /** The request with these parameters, already encoded. */
  attack(encoded: string | Buffer): Attack
  /** The expected outcome of a valid request with a well-formed but unusual value in one field. */
  verdict(field: string, value: string): Verdict
  /** The expected outcome of a field that cannot be read; by default a refusal before any look-up. */
  unreadable?(field: string): Verdict
}

export const REFUSED: Verdict = { status: 400, error: 'invalid_request' }

/** What was looked up: the authorization endpoint reads the record of the client, to know where the error goes. */
export const lookups = ({ calls }: Siege) => calls.filter((call) => call !== 'read client')

/** The expected outcome of a field that cannot be read: nothing reads an unknown one (RFC 6749 §3.1). */
export function unreadable(endpoint: Endpoint, field: string): Verdict {
  return field === 'unknown' ? 'served' : (endpoint.unreadable?.(field) ?? REFUSED)
}

export const FORM = 'application/x-www-form-urlencoded'
const AUTHORIZE = '/oauth2/authorize'
const post = (url: string) => (payload: string | Buffer) => ({
  method: 'POST',
  url,
  headers: { 'content-type': FORM },
  payload,
})

const authorize = {
  page: true,
  fields: [
    ...Object.keys(authorizationRequest()),
    'response_mode',
    'request',
    'request_uri',
    'ui_locales',
    'unknown',
  ],
  right: async () => authorizationRequest(),
  // RFC 6749 §4.1.2.1.
  unreadable: (field: string): Verdict =>
    ['client_id', 'redirect_uri', 'response_mode'].includes(field)
      ? REFUSED
      : { redirected: 'invalid_request' },
  verdict(field: string, value: string): Verdict {
    if (field === 'client_id' || field === 'redirect_uri') return { status: 400, error: 'invalid_request' }
    if (field === 'response_type') return { redirected: 'unsupported_response_type' }
    if (field === 'request') return { status: 400, error: 'invalid_request_object' }
    if (field === 'request_uri') return { redirected: 'request_uri_not_supported' }
    if (field === 'scope') return /^ *$/.test(value) ? 'served' : { redirected: 'invalid_scope' }
    if (field === 'subject') return isSubject(value) ? 'served' : { redirected: 'invalid_request' }
    if (field === 'unknown') return 'served'
    return ['state', 'nonce', 'ui_locales'].includes(field) && Buffer.byteLength(value) < 3500
      ? 'served'
      : { redirected: 'invalid_request' }
  },
}

const token = { page: false, attack: post('/oauth2/token') }

const codeGrant = {
  name: 'POST /oauth2/token (code)',
  fields: [...Object.keys(codeRequest('')), 'client_secret', 'scope', 'unknown'],
  right: async (service: Siege) => {
    const code = await service.code()
    service.writes.length = 0
    service.calls.length = 0
    return codeRequest(code)
  },
  verdict(field: string): Verdict {
    if (field === 'grant_type') return { status: 400, error: 'unsupported_grant_type' }
    if (field.startsWith('client_')) return { status: 401, error: 'invalid_client' }
    return field === 'scope' || field === 'unknown' ? 'served' : { status: 400, error: 'invalid_grant' }
  },
}

const clientCredentials = {
  name: 'POST /oauth2/token (client credentials)',
  fields: ['grant_type', 'client_id', 'client_secret', 'scope', 'unknown'],
  right: async () => ({
    grant_type: 'client_credentials',
    client_id: 'service',
    client_secret: SECRET,
    scope: 'api.read',
  }),
  verdict(field: string, value: string): Verdict {
    if (field === 'grant_type') return { status: 400, error: 'unsupported_grant_type' }
    if (field.startsWith('client_')) return { status: 401, error: 'invalid_client' }
    if (field === 'scope' && !/^ *$/.test(value)) return { status: 400, error: 'invalid_scope' }
    return 'served'
  },
}

const par = {
  name: 'POST /oauth2/par',
  page: false,
  fields: [...Object.keys(authorizationRequest()), 'client_secret', 'request', 'request_uri', 'unknown'],
  right: async () => authorizationRequest({ client_id: 'web', client_secret: SECRET }),
  attack: post('/oauth2/par'),
  verdict(field: string, value: string): Verdict {
    if (field.startsWith('client_')) return { status: 401, error: 'invalid_client' }
    if (field === 'response_type') return { status: 400, error: 'unsupported_response_type' }
    if (field === 'request') return { status: 400, error: 'invalid_request_object' }
    if (field === 'scope' && !/^ *$/.test(value)) return { status: 400, error: 'invalid_scope' }
    const is_free = ['scope', 'unknown'].includes(field)
    const is_short = ['state', 'nonce', 'subject'].includes(field) && Buffer.byteLength(value) < 3500
    return is_free || is_short ? 'served' : { status: 400, error: 'invalid_request' }
  },
}

const deviceAuthorization = {
  name: 'POST /oauth2/device_authorization',
  page: false,
  fields: ['client_id', 'client_secret', 'scope', 'unknown'],
  right: async () => ({ client_id: 'printer', client_secret: SECRET, scope: 'api.read' }),
  attack: post('/oauth2/device_authorization'),
  verdict(field: string, value: string): Verdict {
    if (field.startsWith('client_')) return { status: 401, error: 'invalid_client' }
    if (field === 'scope' && !/^ *$/.test(value)) return { status: 400, error: 'invalid_scope' }
    return 'served'
  },
}

const deviceGrant = {
  name: 'POST /oauth2/token (device)',
  fields: ['grant_type', 'client_id', 'client_secret', 'device_code', 'unknown'],
  right: async (service: Siege) => {
    const client = { client_id: 'printer', client_secret: SECRET }
    const device_code = await service.device()
    service.writes.length = 0
    service.calls.length = 0
    return { grant_type: DEVICE_GRANT, ...client, device_code }
  },
  verdict(field: string): Verdict {
    if (field === 'grant_type') return { status: 400, error: 'unsupported_grant_type' }
    if (field.startsWith('client_')) return { status: 401, error: 'invalid_client' }
    return field === 'unknown' ? 'served' : { status: 400, error: 'invalid_grant' }
  },
}

const userinfo = {
  name: 'POST /userinfo',
  page: false,
  fields: ['access_token', 'unknown'],
  right: async (service: Siege) => ({ access_token: (await service.tokens()).access_token }),
  attack: post('/userinfo'),
  verdict: (field: string): Verdict =>
    field === 'unknown' ? 'served' : { status: 401, error: 'invalid_token' },
}

export const ENDPOINTS: readonly Endpoint[] = [
  { name: 'GET authorize', ...authorize, attack: (encoded) => ({ url: `${AUTHORIZE}?${encoded}` }) },
  { name: 'POST authorize', ...authorize, attack: post(AUTHORIZE) },
  { ...token, ...codeGrant },
  { ...token, ...clientCredentials },
  { ...token, ...deviceGrant },
  par,
  deviceAuthorization,
  userinfo,
]

/** Form-encoded parameters; those in `raw` are already encoded. */
export function encode(parameters: Record<string, string>, raw: Record<string, string> = {}): string {
  const names = Object.keys({ ...parameters, ...raw })
  return names.map((name) => `${name}=${raw[name] ?? encodeURIComponent(parameters[name] ?? '')}`).join('&')
}

/** The errors in a reply. A request that is served may write to storage; any other must not. */
export function faults(service: Siege, reply: Reply, verdict: Verdict): string[] {
  const writes = service.writes.splice(0)
  if (verdict === 'served') {
    service.calls.length = 0
    return reply.status < 400 && reply.error === undefined
      ? []
      : [`not served: ${reply.status} ${reply.body}`]
  }
  const wrote = writes.map((write) => `wrote: ${write}`)
  if ('status' in verdict) return [...wrote, ...refusalFaults(reply, verdict.status, verdict.error)]
  const { status, location = '', error } = reply
  if (location.startsWith(`${REDIRECT_URI}?`) && error === verdict.redirected) return wrote
  return [...wrote, `status ${status}, error ${error} to ${location}`]
}
