import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { FamilyId } from '../core/ids.ts'
import { RESOURCE } from '../resources/resource-record.ts'
import { endFamily, type FamilyEndingContext } from '../sessions/end-families.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { type StoredGrant, unlistGrant } from '../tokens/listed-grants.ts'
import type { User } from '../users/user-record.ts'

/** A grant with which an operator acts as a person. */
export interface OwnSupport {
  readonly grant: FamilyId
  /** What the API is called. */
  readonly api: string
  /** In milliseconds since 1970. */
  readonly until: number
}

/** What it takes to see and end it. */
export interface OwnSupportContext extends FamilyEndingContext {
  readonly storage: Pick<Storage, 'families' | 'lists' | 'records'>
  readonly report: ReportEvent
}

/** Whether an operator acts with a grant. */
export const isSupport = ({ record }: StoredGrant): boolean => record.acted_by !== undefined

/** Returns those of the grants of a person with which an operator acts. @throws StorageUnavailable */
export function ownSupport(
  { storage }: Pick<OwnSupportContext, 'storage'>,
  grants: readonly StoredGrant[],
): Promise<OwnSupport[]> {
  return Promise.all(
    grants.filter(isSupport).map(async ({ family, record: { resource = '', acted_until } }) => {
      const api = recordOf(await storage.records.read(RESOURCE, resource))
      return { grant: family, api: api?.resource_name ?? resource, until: Number(acted_until) }
    }),
  )
}

/** Ends what an operator does as a person: within the same second the token is refused. @throws StorageUnavailable */
export async function endSupport(
  context: OwnSupportContext,
  { username, sub }: User,
  grant: FamilyId,
): Promise<void> {
  const record = await context.storage.families.findFamily(grant)
  if (record?.acted_by === undefined || record.username !== username) return
  const event = { event: 'grants_ended', username, client_id: record.client_id, grant, count: 1 } as const
  await commit(context, [event], { sub }, (told) => endFamily(context, grant, told))
  await unlistGrant(context, { family: grant, started_at: Number(record.started_at ?? 0), record })
}
