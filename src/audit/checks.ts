import type { Settings } from '../config/settings.ts'
import type { DoctorCheck } from '../service/check.ts'
import { type Finding, findingsOf, readable } from '../service/finding.ts'
import type { ExaminedServer } from '../storage/examined-server.ts'
import type { Storage } from '../storage/storage.ts'
import { readCursor } from './webhook-cursor.ts'

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

/** From how many attempts on a message is one that fails. */
const FAILING = 3

/** Returns the finding about the receiver of the audit trail: whether it takes what is sent. @throws StorageUnavailable */
export async function webhookFinding(
  storage: Pick<Storage, 'records'>,
  { audit, audit_webhook_url }: Pick<Settings, 'audit' | 'audit_webhook_url'>,
): Promise<Finding> {
  const { ok, warning } = findingsOf('audit webhook')
  if (audit === 'off' || audit_webhook_url === undefined)
    return ok('AUDIT_WEBHOOK_URL is not set: nothing is sent')
  const { attempts } = await readCursor(storage)
  if (attempts < FAILING)
    return ok(attempts === 0 ? 'the last message was taken' : 'a message is tried again')
  return warning(
    `AUDIT_WEBHOOK_URL did not take a message in ${attempts} attempts`,
    'Look at the receiver, and in the log for what it answers: entries are deleted at last, sent or not.',
  )
}

/** The checks of the audit trail. */
export const AUDIT_CHECKS: readonly DoctorCheck[] = [
  {
    names: ['audit trail'],
    lookAt: async ({ settings }, servers) => [auditFinding(settings, servers)],
  },
  {
    names: ['audit webhook'],
    look: ({ storage, settings }) =>
      readable(async () => [await webhookFinding(storage, settings)], 'audit webhook'),
  },
]
