import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { fieldsOf, type Parameters, parametersFrom, pickParameters } from '../src/core/parameters.ts'
import { FORM_POST_SCRIPT_SOURCE } from '../src/pages/form-post.ts'
import { repeatPage } from '../src/pages/repeat.ts'
import type { Browser } from '../src/sessions/browser.ts'
import { Parameter } from './schemas.ts'

/** The parameter of a form that the page of repeatForm sends. */
export const REPEATED = { repeated: Parameter('Of the page that repeats a form of another site: true') }

/**
 * Returns the browser that sent a form; undefined if that is not known yet: a form of another site comes without cookies
 * (SameSite=Lax), as the first form of a new browser does. A form that was repeated from here has the cookies that there
 * are. Another site can claim that, but not in a browser that says where a request comes from (Fetch Metadata §2.3).
 */
export function browserOfForm(request: FastifyRequest, { repeated }: Parameters): Browser | undefined {
  const browser = browserOf(request)
  const has_cookie = browser.session !== undefined || browser.identity !== undefined
  const is_repeated = repeated === 'true' && request.headers['sec-fetch-site'] !== 'cross-site'
  return has_cookie || is_repeated ? browser : undefined
}

/** Makes the browser send a form again from here, with these of its parameters. They never become part of an address. */
export function repeatForm(
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
  parameters: Parameters,
  names: readonly string[],
): FastifyReply {
  const repeated = parametersFrom(pickParameters(parameters, names), { repeated: 'true' })
  return reply
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      request.server.theme.policyWith({ script_source: FORM_POST_SCRIPT_SOURCE }),
    )
    .type('text/html; charset=utf-8')
    .send(repeatPage({ action, fields: fieldsOf(repeated) }, request.view()))
}
