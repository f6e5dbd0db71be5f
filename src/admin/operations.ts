import { ACCESS_OPERATIONS } from './access/operations.ts'
import { AUDIT_OPERATIONS } from './audit.ts'
import { INVITATION_OPERATIONS } from './clients/invitations.ts'
import { CLIENT_OPERATIONS } from './clients/operations.ts'
import { DAY_OPERATIONS } from './day/day.ts'
import { DOCTOR_OPERATIONS } from './doctor/operation.ts'
import { EXPLANATION_OPERATIONS } from './explanations.ts'
import { FACTOR_OPERATIONS } from './factors/operations.ts'
import { ISSUER_OPERATIONS } from './issuers/issuers.ts'
import { LIMIT_OPERATIONS } from './limits.ts'
import { MAIL_OPERATIONS } from './mail/mails.ts'
import type { Operation } from './operation/operation.ts'
import { PROVIDER_OPERATIONS } from './providers/operations.ts'
import { RESOURCE_OPERATIONS } from './resources/resources.ts'
import { KEY_OPERATIONS } from './server/keys.ts'
import { SETTING_OPERATIONS } from './server/server-settings.ts'
import { SERVER_OPERATIONS } from './server/servers.ts'
import { CONSENT_OPERATIONS } from './sign-ins/consents.ts'
import { LOGIN_OPERATIONS } from './sign-ins/logins.ts'
import { THIRD_PARTY_OPERATIONS } from './third-parties.ts'
import { TOKEN_OPERATIONS } from './tokens/operations.ts'
import { UPKEEP_OPERATIONS } from './upkeep/upkeep.ts'
import { PEOPLE_OPERATIONS } from './users/links.ts'
import { USER_OPERATIONS } from './users/operations.ts'

/** All operations of the admin API: a table for each area. */
export const OPERATIONS: readonly Operation[] = [
  ...USER_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...FACTOR_OPERATIONS,
  ...CLIENT_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...RESOURCE_OPERATIONS,
  ...ISSUER_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...LOGIN_OPERATIONS,
  ...CONSENT_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...DOCTOR_OPERATIONS,
  ...THIRD_PARTY_OPERATIONS,
  ...DAY_OPERATIONS,
  ...UPKEEP_OPERATIONS,
  ...LIMIT_OPERATIONS,
  ...EXPLANATION_OPERATIONS,
  ...MAIL_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...SETTING_OPERATIONS,
]
