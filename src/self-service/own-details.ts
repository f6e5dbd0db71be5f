import { type CheckedDetail, knownDetails } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { canonicalText } from '../details/json-value.ts'
import type { Detail } from '../details/read-details.ts'
import { detailName } from '../interaction/consent.ts'

/** An object of details that an application may have now, or for which it is not asked again. */
export interface OwnDetail extends CheckedDetail {
  /** Whether a sign-in has it. */
  readonly is_live: boolean
  /** Whether the person is not asked about it again. */
  readonly is_remembered: boolean
}

/** What a person allowed in detail: by a sign-in, or for good, there by the names in the consent. */
export interface AllowedDetails {
  readonly live?: readonly Detail[]
  readonly remembered?: ReadonlyMap<string, Detail>
}

/**
 * Returns what a client has in detail, each object once: those of types that it may use now. One that reads otherwise than
 * it did when it was remembered is asked about again.
 * @throws StorageUnavailable
 */
export async function ownDetails(
  context: DetailsContext,
  client: Parameters<typeof knownDetails>[1],
  allowed: readonly AllowedDetails[],
): Promise<readonly OwnDetail[]> {
  const live = allowed.flatMap((one) => one.live ?? [])
  const names = new Set(allowed.flatMap((one) => [...(one.remembered?.keys() ?? [])]))
  const objects = [...live, ...allowed.flatMap((one) => [...(one.remembered?.values() ?? [])])]
  const distinct = new Map(objects.map((detail) => [canonicalText(detail), detail]))
  const are_live = new Set(live.map(canonicalText))
  const known = await knownDetails(context, client, [...distinct.values()])
  return known
    .map((one) => ({
      ...one,
      is_live: are_live.has(canonicalText(one.detail)),
      is_remembered: one.type.remember && names.has(detailName(one)),
    }))
    .filter(({ is_live, is_remembered }) => is_live || is_remembered)
}
