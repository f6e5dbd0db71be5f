import type { Settings } from '../config/settings.ts'
import type { CameFrom } from '../sessions/came-from.ts'
import { type UseContext, useAgain, usedFor } from './use-once.ts'

interface SignalSettings {
  readonly settings: Pick<Settings, 'receive_signals'>
}

const METHOD = 'said over'

/**
 * Notes that another site said that what a person began there before a time, in milliseconds since 1970, is over: a sign-in
 * that is under way, as with a second step, does not come after it.
 * @param upstream_user as in `CameFrom`
 * @throws StorageUnavailable
 */
export async function noteSaidOver(
  context: UseContext & { readonly settings: Pick<Settings, 'sign_in_ttl'> },
  upstream_user: string,
  before: number,
): Promise<void> {
  // Tokens may come in any order.
  if (Number(await usedFor(context, METHOD, upstream_user)) >= before) return
  const seconds = context.settings.sign_in_ttl
  await useAgain(context, { method: METHOD, text: upstream_user, seconds, mark: String(before) })
}

/**
 * Whether another site said that a sign-in which came from there is over.
 * @param began when this request of the sign-in began, in milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function isSaidOver(
  context: Pick<UseContext, 'storage'> & SignalSettings,
  { upstream_user, upstream_at = 0 }: CameFrom,
  began: number,
): Promise<boolean> {
  if (upstream_user === undefined) return false
  // A logout ends what came before it, so only a sign-in that an earlier request began can be over. A signal may come late.
  if (upstream_at >= began && context.settings.receive_signals === 'off') return false
  return upstream_at < Number((await usedFor(context, METHOD, upstream_user)) ?? 0)
}
