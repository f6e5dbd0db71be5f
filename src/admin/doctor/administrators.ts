import { type Finding, findingsOf } from '../../service/finding.ts'
import { isAdministrator, readAdministrators } from '../../users/administrators.ts'
import { noWayIn, type WayInContext } from '../users/way-in.ts'

/** How many are looked at and named. */
const SHOWN = 5

/** Returns the finding about who may change everything, and whether somebody can sign in as one of them. */
export async function administratorFinding(context: WayInContext): Promise<Finding> {
  const { ok, warning } = findingsOf('administrators')
  const { storage, settings } = context
  const listed = await readAdministrators(storage)
  const found = listed.filter(({ username, hash }) => isAdministrator(username, hash)).slice(0, SHOWN)
  const create = 'redmint admin create ada --email ada@example.com makes one.'
  if (found.length === 0)
    return settings.admin_api === 'off'
      ? ok('nobody, and ADMIN_API is off: only the command on a host with Redis changes anything')
      : warning('nobody may change anything by the admin API or the console', create)
  const without = await Promise.all(
    found.map(async ({ username, hash }) => ({ username, why: await noWayIn(context, username, hash) })),
  )
  const names = found.map(({ username }) => username).join(', ')
  const [first] = without.filter(({ why }) => why !== undefined)
  if (first?.why === undefined) return ok(`somebody can sign in as ${names}`)
  const is_none = without.every(({ why }) => why !== undefined)
  return warning(
    is_none
      ? `there is ${names}, and nobody can sign in: nobody can use the admin API or the console`
      : `one of them has no way to sign in: ${first.username}`,
    `${first.why}.`,
  )
}
