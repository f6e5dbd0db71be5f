import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepBrowser } from '../plugins/browser.ts'
import type { Reply } from '../src/authorize/reply.ts'
import { SENT_PARAMETERS } from '../src/authorize/request.ts'
import { type ClientResponse, locationOf } from '../src/authorize/response.ts'
import type { Parameters } from '../src/core/parameters.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import type { FileReply } from '../src/pages/file-reply.ts'
import { FORM_POST_SCRIPT_SOURCE, formPostPage } from '../src/pages/form-post.ts'
import { repeatForm } from './repeated-form.ts'

/**
 * Sends what comes of an authorization request, of a step of one, or of another page.
 * @param parameters those of an authorization request that is answered
 */
export function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Reply | FileReply,
  parameters: Parameters = {},
): FastifyReply {
  reply.header('cache-control', 'no-store')
  if ('cookies' in answer && answer.cookies !== undefined) keepBrowser(reply, answer.cookies)
  switch (answer.to) {
    case 'client':
      return sendToClient(request, reply, answer.response, answer.ui_locales)
    case 'page':
      return reply
        .status(answer.status ?? 200)
        .header('content-security-policy', request.server.theme.policyWith(answer.needs))
        .type('text/html; charset=utf-8')
        .send(answer.render(request.view(answer.ui_locales)))
    case 'next': {
      const { transaction } = answer
      const location = pathAt(request.server.redmint.settings, PATHS.interaction)
      return reply.redirect(withQuery(location, { transaction }), redirectStatus(request))
    }
    case 'file':
      return reply
        .header('content-disposition', `attachment; filename="${answer.name}"`)
        .type(`${answer.media_type}; charset=utf-8`)
        .send(answer.text)
    case 'site':
      return reply.redirect(answer.location, redirectStatus(request))
    case 'repeat': {
      const path = pathAt(request.server.redmint.settings, PATHS.authorize)
      return repeatForm(request, reply, path, parameters, SENT_PARAMETERS)
    }
  }
}

function sendToClient(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ClientResponse,
  ui_locales: string | undefined,
): FastifyReply {
  if (response.delivery === 'query') return reply.redirect(locationOf(response), redirectStatus(request))
  return reply
    .header(
      'content-security-policy',
      request.server.theme.policyWith({ script_source: FORM_POST_SCRIPT_SOURCE }),
    )
    .type('text/html; charset=utf-8')
    .send(formPostPage(response, request.view(ui_locales)))
}

/** 303 after a form, so that the browser does not send the form on (RFC 9700 §4.12). */
export function redirectStatus({ method }: FastifyRequest): 302 | 303 {
  return method === 'POST' ? 303 : 302
}
