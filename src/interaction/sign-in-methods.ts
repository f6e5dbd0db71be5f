import { password } from './password-method.ts'
import type { Method } from './sign-in-method.ts'

/** Every way to sign in; a form that names none means the first one. */
export const METHODS: readonly [Method, ...Method[]] = [password]

/** What an `acr` can be (OpenID Connect Core §2), from the weakest: `1` is one factor, a password. */
export const ACR_VALUES: readonly string[] = [...new Set(METHODS.map(({ acr }) => acr))].sort()
