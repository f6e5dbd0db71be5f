import { password } from './password-method.ts'
import { acrValuesOf, type SignInMethods } from './sign-in-method.ts'

/** The sign-in methods of this server. */
export const METHODS: SignInMethods = [password]

/** The values that an `acr` can have (OpenID Connect Core §2). `1` is one factor, a password. */
export const ACR_VALUES: readonly string[] = acrValuesOf(METHODS)
