import { describeEnded } from '../../src/admin/operation/end-all.ts'
import { instant } from '../../src/core/instant.ts'
import { readRestoreMark, writeRestoreMark } from '../../src/keys/restore-mark.ts'
import { StoredKeyError } from '../../src/keys/wrap.ts'
import { endAllBefore } from '../../src/sessions/session-store.ts'
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
  const ended = await endAllBefore(storage, not_before)
  const since = new Date(not_before * 1000)
  return {
    text: [
      `The restore mark is ${instant(since, now())}. ${describeEnded(ended)}`,
      `Servers refuse JWTs from before it within 30 seconds. ${JWT_NOTE}`,
      'Clients, users and consents are as in the backup: repeat what was changed since.',
    ].join('\n'),
    json: { not_before: since.toISOString(), ended },
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
