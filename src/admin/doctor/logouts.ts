import { count } from '../../core/count.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { listLogouts } from '../../sessions/logout-queue.ts'
import type { Storage } from '../../storage/storage.ts'

/** How many notices are looked at. */
const LOOKED_AT = 200
/** From how many attempts on a notice is one that fails. */
const FAILING = 3
/** How many names a line has at most. */
const SHOWN = 5

/** Returns the finding about clients that are told of logouts: whether they answer. @throws StorageUnavailable */
export async function logoutFindings(storage: Pick<Storage, 'queue'>): Promise<Finding[]> {
  const { ok, warning } = findingsOf('logout notices')
  const notices = await listLogouts(storage, LOOKED_AT)
  const failing = new Set(
    notices.filter(({ attempts }) => attempts >= FAILING).map(({ client_id }) => client_id),
  )
  if (failing.size === 0)
    return [ok(notices.length === 0 ? 'none waits' : `${count(notices.length, 'notice')} on the way`)]
  const names = `${[...failing].sort().slice(0, SHOWN).join(', ')}${failing.size > SHOWN ? ', …' : ''}`
  return [
    warning(
      `not taken by ${names}, tried ${FAILING} times or more`,
      'Look at the backchannel_logout_uri of these clients, and in the log for what they answer.',
    ),
  ]
}
