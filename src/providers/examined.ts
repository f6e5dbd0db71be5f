import type { LastingKeyContext } from '../keys/lasting-key.ts'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import type { Storage } from '../storage/storage.ts'

/** What is looked at, in this order. */
export const EXAMINED = ['discovery', 'keys', 'callback', 'secret', 'groups'] as const

/** What was found. `unknown`: the provider does not say before somebody signs in. */
export interface ProviderCheck {
  readonly about: (typeof EXAMINED)[number]
  readonly result: 'ok' | 'wrong' | 'unknown'
  /** What is wrong, and what to do: a sentence without text of the provider. */
  readonly detail: string
}

/** What it takes to examine a provider. */
export interface ExamineContext extends LastingKeyContext {
  readonly storage: LastingKeyContext['storage'] & Pick<Storage, 'bounded'>
  readonly settings: LastingKeyContext['settings'] & { readonly issuer: string }
  readonly fetch: GuardedFetch
  /** Milliseconds since 1970. */
  readonly now: () => number
}
