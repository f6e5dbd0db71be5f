import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../src/context.ts'
import { parseObject } from '../../../src/core/json.ts'
import { parseToken } from '../../../src/core/token-string.ts'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import { endSessionById } from '../../../src/sessions/end-session.ts'
import { readListedSessions } from '../../../src/sessions/listed-sessions.ts'
import type { ServerParts } from '../../server-parts.ts'

const AT_ONCE = 100

/**
 * Ends the sessions of the person whom a request or its answer is about, as a logout in another browser does.
 * @throws StorageUnavailable
 */
export async function logoutUser(
  { fastify: { redmint: context } }: ServerParts,
  request: FastifyRequest,
  payload: unknown,
): Promise<void> {
  const username = await usernameOf(context, answeredToken(payload) ?? bearerToken(request))
  if (username === undefined) return
  const event = ({ username, sub }: { readonly username: string; readonly sub: string }) =>
    ({ event: 'session_ended', username, sub }) as const
  const holder = { username, user: undefined }
  const { sessions } = await readListedSessions(context.storage, holder, { limit: AT_ONCE })
  for (const { id } of sessions) await endSessionById(context, id, { report: context.report, event })
  context.logouts.emit('queued')
}

function answeredToken(payload: unknown): string | undefined {
  const token = typeof payload === 'string' ? parseObject(payload)?.access_token : undefined
  return typeof token === 'string' ? token : undefined
}

function bearerToken({ headers }: FastifyRequest): string {
  return headers.authorization?.replace(/^\S+ +/, '') ?? ''
}

async function usernameOf({ storage }: Context, token: string): Promise<string | undefined> {
  const jti = decodeJwt(token)?.claims.jti
  const family = parseToken(typeof jti === 'string' ? jti : token)?.family
  return family === undefined ? undefined : (await storage.families.findFamily(family))?.username
}
