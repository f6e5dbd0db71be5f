import { endRestored, type ForgottenCounts } from '../../src/admin/host/after-restore.ts'
import { describeEnded } from '../../src/admin/operation/end-all.ts'
import { count } from '../../src/core/count.ts'
import { instant } from '../../src/core/instant.ts'
import { readRestoreMark, writeRestoreMark } from '../../src/keys/restore-mark.ts'
import { StoredKeyError } from '../../src/keys/wrap.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { JWT_NOTE } from '../end-all.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'

/**
 * The command `restore mark`. The mark is set first: if the command fails, it can be repeated. An earlier mark is never
 * moved back.
 */
export async function markRestore({ storage, now }: CommandContext, at: Date): Promise<Report> {
  // A JWT has whole seconds: one of the same second is from before.
  const not_before = Math.max(Math.ceil(at.getTime() / 1000), await earlierMark(storage))
  await writeRestoreMark(storage, not_before)
  const { ended, forgotten } = await endRestored(storage, not_before)
  const since = new Date(not_before * 1000)
  return {
    text: [
      `The restore mark is ${instant(since, now())}. ${describeEnded(ended)}`,
      `Servers refuse JWTs from before it within 30 seconds. ${JWT_NOTE}`,
      ...describeForgotten(forgotten),
      'Clients, users and consents are as in the backup: repeat what was changed since.',
    ].join('\n'),
    json: { not_before: since.toISOString(), ended, forgotten },
  }
}

async function earlierMark(storage: RecordStore): Promise<number> {
  try {
    return await readRestoreMark(storage)
  } catch (error) {
    if (error instanceof StoredKeyError) return 0
    throw error
  }
}

/** Returns what has to be made again, if there was something. */
function describeForgotten({ requests, links, invitations, recovery_codes }: ForgottenCounts): string[] {
  const parts = [
    ...(requests > 0 ? [count(requests, 'waiting request')] : []),
    ...(links > 0 ? [`${count(links, 'link')} in mails`] : []),
    ...(invitations > 0 ? [count(invitations, 'invitation')] : []),
    ...(recovery_codes > 0 ? [`the recovery codes of ${count(recovery_codes, 'user')}`] : []),
  ]
  if (parts.length === 0) return []
  return [`Cannot be used any more, because it may have been since: ${parts.join(', ')}.`]
}
