import type { Settings } from './settings.ts'

/** The settings whose values nobody may read: in no answer, no record and no line of the log. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set<keyof Settings>([
  'audit_key',
  'audit_webhook_secret',
  // Its query often has a token.
  'audit_webhook_url',
  'client_certificate_secret',
  'key_encryption_key',
  'ldap_bind_password',
  'pairwise_salt',
  'smtp_url',
  'web_push_private_key',
])
