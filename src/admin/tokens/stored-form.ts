import { parseToken } from '../../core/token-string.ts'
import type { TokenContext } from './context.ts'

/**
 * Returns the context with the storage that has the record of this token, or of the JWT with this jti: the servers may
 * have another TOKENS_AT_REST than the command, and their record has another key then.
 * @throws StorageUnavailable
 */
export async function whereRecorded(context: TokenContext, token: string): Promise<TokenContext> {
  if (parseToken(token) === undefined) return context
  if ((await context.storage.families.findToken(token)) !== undefined) return context
  const storage = context.openOtherForm?.()
  return storage === undefined || (await storage.families.findToken(token)) === undefined
    ? context
    : { ...context, storage }
}
