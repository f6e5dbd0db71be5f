import type { Settings } from '../config/settings.ts'
import type { PasswordRules } from '../users/password-rules.ts'
import { type Factors, hasSecondStep } from './factors-record.ts'

/** How many characters are enough beside a second step (NIST SP 800-63B-4 §3.1.1.2). */
const MIN_LENGTH = 8

/** The rules for a new password of somebody with these factors: it may be shorter beside a second step. */
export function passwordRulesFor(
  rules: PasswordRules & Pick<Settings, 'second_factor'>,
  factors: Factors,
): PasswordRules {
  return rules.second_factor !== 'off' && hasSecondStep(factors)
    ? { ...rules, password_min_length: MIN_LENGTH }
    : rules
}
