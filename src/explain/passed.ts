import { REQUEST_CHECKS, type Stage, TARGET_CHECKS } from '../authorize/check-request.ts'
import type { Endpoint } from '../core/endpoints.ts'
import { REASONS, type Reason, type RequestStep, STEPS } from '../core/reasons.ts'
import { PRESENTED } from '../grants/handlers.ts'
import { TOKEN_STEPS } from '../grants/pipeline.ts'

/** The steps of a request that a client sends a person with: the tables of checks say which, and their order. */
const checkedAt = (stage: Stage): RequestStep[] =>
  [...TARGET_CHECKS, ...REQUEST_CHECKS]
    .filter(({ at }) => at[stage])
    .flatMap(({ name }) => STEPS.find((step) => step === name) ?? [])

const FIRST = ['arrival', 'parameters'] as const
const OF_PERSON = ['browser', 'sign_in', 'account', 'access', 'consent'] as const
const OF_CLIENT = [...FIRST, 'client'] as const
const OF_TOKEN = ['arrival', 'proof', 'token', 'binding', 'sign_in', 'scope'] as const

/** The steps of each endpoint, in the order in which they can refuse. */
const STEPS_OF: Readonly<Record<Endpoint, readonly RequestStep[]>> = {
  authorize: [...FIRST, 'request_object', ...checkedAt('authorize'), ...OF_PERSON],
  interaction: [...FIRST, ...OF_PERSON],
  par: [...OF_CLIENT, 'pushed', 'request_object', 'proof', ...checkedAt('par'), 'limits'],
  token: ['arrival', ...TOKEN_STEPS],
  device_authorization: [...OF_CLIENT, 'client_grant_types', 'resource', 'scope', 'limits'],
  backchannel_authentication: [
    ...OF_CLIENT,
    'client_grant_types',
    'request_object',
    'hint',
    'acr',
    'resource',
    'scope',
    'authorization_details',
  ],
  asked: [...FIRST, ...OF_PERSON],
  device: [...FIRST, ...OF_PERSON],
  account: [...FIRST, 'browser', 'sign_in'],
  link_pages: [...FIRST, 'browser', 'sign_in'],
  revoke: OF_CLIENT,
  introspect: OF_CLIENT,
  global_revocation: [...OF_TOKEN, 'parameters', 'account'],
  signals: FIRST,
  register: ['arrival', 'token', 'metadata', 'limits'],
  userinfo: [...OF_TOKEN, 'account'],
  logout: FIRST,
  admin: [...OF_TOKEN, 'limits', 'parameters', 'access', 'operation'],
  console: ['arrival', 'browser', 'sign_in', 'limits', 'parameters', 'access', 'operation'],
  api: OF_TOKEN,
  webfinger: FIRST,
  forward_auth: [...FIRST, 'browser'],
  signal_streams: [...OF_TOKEN, 'access', 'parameters', 'operation', 'limits'],
  other: [],
}

/** Returns the steps of an endpoint that a refused request has passed before. */
export function passedBefore(endpoint: Endpoint, reason: Reason): RequestStep[] {
  const refused_by = REASONS[reason]
  const steps = STEPS_OF[endpoint]
  const place = steps.indexOf(refused_by)
  // A token request presents one thing: that of the step which refused it.
  return place === -1 ? [] : steps.slice(0, place).filter((step) => !PRESENTED.includes(step))
}
