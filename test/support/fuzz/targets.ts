import type { Target } from './target.ts'
import { address } from './targets/address.ts'
import { adminInput, strictJson } from './targets/admin-input.ts'
import { basic } from './targets/basic.ts'
import { bearer } from './targets/bearer.ts'
import { claims } from './targets/claims.ts'
import { clientCertificate } from './targets/client-certificate.ts'
import { form } from './targets/form.ts'
import { jwt } from './targets/jwt.ts'
import { language } from './targets/language.ts'
import { recordTargets } from './targets/records.ts'
import { redirectUri } from './targets/redirect-uri.ts'
import { registration, registrationChange } from './targets/registration.ts'
import { scope } from './targets/scope.ts'
import { sealedValue } from './targets/sealed.ts'
import { signingKey } from './targets/signing-keys.ts'

/** Everything that is fuzzed. */
export const TARGETS: readonly Target[] = [
  ...[form, basic, bearer, jwt, redirectUri, claims, language, scope],
  ...recordTargets,
  ...[signingKey, sealedValue, address, registration, registrationChange, clientCertificate],
  ...[strictJson, adminInput],
]
