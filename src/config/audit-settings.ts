import { isHttpOnLoopback, isHttpsUrl } from './page-links.ts'

/** The settings of the audit trail. */
export interface AuditSettings {
  readonly audit: 'off' | 'on'
  readonly audit_key?: string
  readonly audit_webhook_url?: string
  readonly audit_webhook_secret?: string
  readonly shared_signals: 'off' | 'on'
}

type Problem = [field: keyof AuditSettings, problem: string]

/** Returns the settings of the audit trail that do not fit together, each with its problem. */
export function auditProblems(
  settings: AuditSettings,
  nameOf: (field: keyof AuditSettings) => string,
): Problem[] {
  const { audit, audit_webhook_url: url, audit_webhook_secret: secret } = settings
  const problems: Problem[] = []
  for (const field of ['audit_key', 'audit_webhook_url'] as const) {
    if (audit === 'off' && settings[field] !== undefined)
      problems.push([field, `needs ${nameOf('audit')} to be on`])
  }
  // What receivers are told is read from it.
  if (audit === 'off' && settings.shared_signals === 'on')
    problems.push(['shared_signals', `needs ${nameOf('audit')} to be on`])
  // RFC 9110 §7.1: a fragment is never sent.
  if (url !== undefined && ((!isHttpsUrl(url) && !isHttpOnLoopback(url)) || url.includes('#')))
    problems.push(['audit_webhook_url', 'must be an https URL, or http on loopback, without a fragment'])
  if ((url === undefined) !== (secret === undefined)) {
    const [present, absent] =
      url === undefined
        ? (['audit_webhook_secret', 'audit_webhook_url'] as const)
        : (['audit_webhook_url', 'audit_webhook_secret'] as const)
    problems.push([present, `needs ${nameOf(absent)}: set both`])
  }
  return problems
}
