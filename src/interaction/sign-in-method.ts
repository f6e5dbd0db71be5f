import type { User } from '../accounts/user-record.ts'
import type { Context } from '../context.ts'
import type { Parameters } from '../core/parameters.ts'

/** What a method works with. */
export type MethodContext = Pick<Context, 'storage' | 'passwords' | 'log'>

/** A way for people to say who they are. The next one is a file of its own and an entry in methods.ts. */
export interface Method {
  /** How it is called in id_tokens (RFC 8176 §2), and in a form's field `method`. */
  readonly amr: string
  /** How sure it is, as `acr`; of methods.ts' ACR_VALUES. */
  readonly acr: string
  /** Whom a form claims to be, which guesses are counted by; undefined where that shows in the proof alone. */
  username(form: Parameters): string | undefined
  /**
   * Whom a form proves to be; undefined for every reason that nobody is, the same in calls and in time.
   * @throws OAuthError `temporarily_unavailable` (503); StorageUnavailable
   */
  authenticate(context: MethodContext, form: Parameters): Promise<User | undefined>
}
