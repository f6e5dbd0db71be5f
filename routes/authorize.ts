import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../plugins/address.ts'
import { browserOf } from '../plugins/browser.ts'
import { LONG_BODY_LIMIT, leaveFaults } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { authorize } from '../src/authorize/authorize.ts'
import { tellUnproven } from '../src/core/connection-steps.ts'
import type { Parameters as Given } from '../src/core/parameters.ts'
import { PATHS } from '../src/core/paths.ts'
import type { Browser } from '../src/sessions/browser.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { browserOfForm, REPEATED } from './repeated-form.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'

/** The parameters of an authorization request, which clients send here or push. */
export const AUTHORIZATION_PARAMETERS = {
  client_id: Parameter('Required: the client'),
  redirect_uri: Parameter('Required: one of the registered redirect URIs, exactly'),
  response_type: Parameter('Required: code'),
  resource: Parameter('The APIs that tokens are for (RFC 8707); may be repeated'),
  scope: Parameter('Scope names separated by spaces; by default all that the client may obtain'),
  authorization_details: Parameter('What is asked for one by one, as JSON (RFC 9396 §5)'),
  state: Parameter('Returned unchanged'),
  code_challenge: Parameter(
    'The S256 challenge of the PKCE verifier (RFC 7636); required unless the client is exempted',
  ),
  code_challenge_method: Parameter('S256'),
  dpop_jkt: Parameter('The thumbprint of the DPoP key that the code is bound to (RFC 9449 §10)'),
  response_mode: Parameter(
    'query, which is the default, form_post, or for a signed JWT: jwt, query.jwt, form_post.jwt',
  ),
  prompt: Parameter(
    'none, create where sign-up is open, or some of login, consent, select_account, separated by spaces',
  ),
  max_age: Parameter('How many seconds ago the user may have signed in'),
  id_token_hint: Parameter('An id_token of the expected user'),
  idp_hint: Parameter('The provider to which the user goes at once'),
  login_hint: Parameter('The username that the sign-in page is filled in with'),
  acr_values: Parameter('The strength that the sign-in should have, one of these values'),
  claims: Parameter('Claims that are requested by name, as JSON (OpenID Connect Core §5.5)'),
  subject: Parameter('Demo mode only: the user who counts as signed in'),
  nonce: Parameter('OpenID Connect: repeated in the id_token unchanged'),
  ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
  request: Parameter('A signed request object (RFC 9101): then only client_id counts besides'),
  registration: Parameter('Not supported (OpenID Connect Core §7.2.1)'),
}

const authorizationRequest = {
  ...AUTHORIZATION_PARAMETERS,
  request_uri: Parameter('A pushed request (RFC 9126 §4): then only client_id counts besides'),
}

const documentation = {
  tags: ['OAuth 2.0'],
  response: {
    200: Page(
      'A page that posts the response to the client (response_mode form_post or form_post.jwt), or a form of another site once more',
    ),
    '3xx': {
      description: 'To the redirect_uri, with code or error, state and iss, or response; or to the pages',
      type: 'null',
    },
    400: ErrorPage('client_id or redirect_uri are missing or wrong, or response_mode cannot be read'),
    503: UNAVAILABLE,
  },
} as const

const QUERY = {
  schema: {
    operationId: 'authorize',
    summary: 'Authorization endpoint (RFC 6749 §3.1)',
    querystring: Parameters(authorizationRequest),
    ...documentation,
  },
  config: { page: 'sign-in' },
  // A HEAD request would issue a code that nobody receives.
  exposeHeadRoute: false,
  preValidation: readQuery,
  validatorCompiler: leaveFaults,
} as const

const FORM = {
  schema: {
    operationId: 'authorizeByForm',
    summary: 'Authorization endpoint, by form (OpenID Connect Core §3.1.2.1)',
    consumes: ['application/x-www-form-urlencoded'],
    body: Parameters({ ...authorizationRequest, ...REPEATED }),
    ...documentation,
  },
  config: { page: 'sign-in', from_others: true },
  bodyLimit: LONG_BODY_LIMIT,
  validatorCompiler: leaveFaults,
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    given: Given,
    browser: Browser | undefined,
  ) => {
    const answered = await authorize(contextOf(request), given, browser)
    const { client_id } = given
    // A person is asked now. Whoever opened the address may have made the request up.
    if (answered.to === 'next' && client_id !== undefined)
      tellUnproven(fastify.redmint, () => ({ step: 'asked', client_id, from: clientNetwork(request) }))
    return sendReply(request, reply, answered, given)
  }

  fastify.get(PATHS.authorize, QUERY, (request, reply) =>
    answer(request, reply, request.query, browserOf(request)),
  )

  fastify.post(PATHS.authorize, FORM, (request, reply) =>
    answer(request, reply, request.body, browserOfForm(request, request.body)),
  )
}

export default route
