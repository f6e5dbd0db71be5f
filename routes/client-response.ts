import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ClientResponse, locationOf } from '../src/authorize/response.ts'
import { FORM_POST_SCRIPT_SOURCE, formPostPage } from '../src/pages/form-post.ts'

/**
 * Sends the browser back to the client.
 * @param ui_locales those of the authorization request
 */
export function sendToClient(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ClientResponse,
  ui_locales: string | undefined,
): FastifyReply {
  if (response.response_mode === 'query') return reply.redirect(locationOf(response), redirectStatus(request))
  return reply
    .header('content-security-policy', request.server.theme.policyWith(FORM_POST_SCRIPT_SOURCE))
    .type('text/html; charset=utf-8')
    .send(formPostPage(response, request.view(ui_locales)))
}

/** 303 after a form: the browser must not send it on to whoever is next (RFC 9700 §4.12). */
export function redirectStatus({ method }: FastifyRequest): 302 | 303 {
  return method === 'POST' ? 303 : 302
}
