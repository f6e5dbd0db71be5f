import type { Settings } from '../config/settings.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import { inBatches } from '../core/batches.ts'
import type { FamilyId } from '../core/ids.ts'
import type { EndOutcome } from '../storage/families.ts'
import type { Storage } from '../storage/storage.ts'

// In seconds: a code may be written this long after its family joined the session.
const CODE_MARGIN = 60
// So many commands at a time delay no other request.
const AT_A_TIME = 20

/** What it takes to end families. */
export interface FamilyEndingContext {
  readonly storage: Pick<Storage, 'families'>
  readonly settings: Pick<Settings, 'code_ttl' | 'device_code_ttl'>
}

/**
 * Ends a family, also one whose code is not written or redeemed yet.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export function endFamily(
  { storage, settings }: FamilyEndingContext,
  family: FamilyId,
  told?: AuditEntries,
): Promise<EndOutcome> {
  const ttl = Math.max(settings.code_ttl, settings.device_code_ttl) + CODE_MARGIN
  return storage.families.endFamily(family, ttl, told)
}

/** Ends families, also those whose code is not written or redeemed yet. @throws StorageUnavailable */
export function endFamilies(context: FamilyEndingContext, families: Iterable<FamilyId>): Promise<void> {
  return inBatches(families, AT_A_TIME, (batch) =>
    Promise.all(batch.map((family) => endFamily(context, family))),
  )
}
