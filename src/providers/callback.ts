import { PATHS } from '../core/paths.ts'

/** Returns where a provider sends people back to: what is registered there. */
export function callbackOf({ issuer }: { readonly issuer: string }, provider: string): string {
  return issuer + PATHS.provider_callback.replace(':provider', provider)
}
