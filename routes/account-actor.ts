import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import type { Context } from '../src/context.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import type { Actor } from '../src/self-service/action.ts'
import { cookieDigest, csrfToken } from '../src/sessions/browser.ts'
import { browserName } from '../src/sessions/browser-name.ts'
import { findSession } from '../src/sessions/session.ts'

/** Its forms are for this, and not for a pending request. */
const FORMS = 'account'

/** Who is at the account page; undefined: nobody is signed in. @throws StorageUnavailable */
export async function actorOf(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
): Promise<Actor | undefined> {
  const browser = browserOf(request)
  const session = await findSession(context, browser, undefined)
  const user = session && (await context.accounts.findUser(session))
  if (session === undefined || user === undefined || browser.identity === undefined) return undefined
  const asker = { address: callerOf(request, reply).address(), user: user.username, is_known: true }
  const { id } = browser.identity
  const creating = { digest: cookieDigest(id), name: browserName(request.headers['user-agent']) }
  const language = request.view().language.tag
  const csrf = csrfToken(id, FORMS, session.sid)
  const base = pathAt(context.settings, PATHS.account)
  return { user, session, asker, language, browser: creating, base, csrf }
}
