import type { Settings } from '../config/settings.ts'
import { type Finding, findingsOf } from '../service/finding.ts'
import type { ExaminedServer } from '../storage/examined-server.ts'

/** Returns the finding about the audit trail: whether Redis can keep it. */
export function auditFinding(
  { audit }: Pick<Settings, 'audit'>,
  servers: readonly ExaminedServer[],
): Finding {
  const { ok, problem } = findingsOf('audit trail')
  if (audit === 'off') return ok('off')
  const old = servers.flatMap(({ info }) => info?.get('redis_version') ?? []).filter(isBefore62)
  if (old.length === 0) return ok('on')
  // XTRIM MINID.
  return problem(
    `Redis ${old[0]} cannot trim it by age, and it needs 6.2: entries are lost`,
    'Upgrade Redis, or set AUDIT=off.',
  )
}

function isBefore62(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 6 || (major === 6 && minor < 2)
}
