import type { Settings } from '../config/settings.ts'
import { type Finding, findingsOf } from '../service/finding.ts'
import type { Storage } from '../storage/storage.ts'
import { readCursor } from './webhook-cursor.ts'

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
