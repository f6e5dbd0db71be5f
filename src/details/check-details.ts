import { invalidDetails } from '../core/grant-errors.ts'
import type { ClientId } from '../core/ids.ts'
import type { DetailType } from './detail-type.ts'
import type { DetailsContext } from './detail-types.ts'
import { canonicalText } from './json-value.ts'
import { areWithin } from './narrow-details.ts'
import { type Detail, formatDetails, parseDetails, readDetails } from './read-details.ts'
import { misfit } from './schema.ts'

/** What decides which details a client may have. */
interface DetailsAllowed {
  /** Absent: none. */
  readonly authorization_details_types?: readonly string[] | undefined
}

/** A client that asks for details. */
export interface DetailsClient extends DetailsAllowed {
  readonly client_id: ClientId
}

/** An object that was asked for, with its type. */
export interface CheckedDetail {
  readonly detail: Detail
  readonly type: DetailType
}

/**
 * Returns what a request asks for by `authorization_details` (RFC 9396 §5): objects of types that the client may use, each
 * as its schema says.
 * @throws OAuthError `invalid_authorization_details`; StorageUnavailable
 */
export async function checkDetails(
  { detail_types }: DetailsContext,
  { client_id, authorization_details_types: allowed = [] }: DetailsClient,
  given: string,
): Promise<readonly CheckedDetail[]> {
  const read = readDetails(given)
  if ('problem' in read)
    throw invalidDetails('details_malformed', `authorization_details ${read.problem}.`, {
      received: { fault: read.problem, bytes: Buffer.byteLength(given) },
    })
  const checked: CheckedDetail[] = []
  for (const [place, detail] of read.details.entries()) {
    const at = `authorization_details[${place}]`
    if (!allowed.includes(detail.type))
      throw invalidDetails(
        'details_type_not_allowed',
        `This client may not use the type of ${at}: an operator can add it to its field authorization_details_types.`,
        { received: { client_id }, expected: { types: allowed } },
      )
    const type = await detail_types.find(detail.type)
    if (type === undefined)
      throw invalidDetails(
        'details_type_unknown',
        `The type of ${at} is unknown here, or disabled: an operator can add it with redmint detail-type add.`,
        { received: { detail_type: detail.type } },
      )
    const { type: _, ...members } = detail
    const problem = misfit(type.shape, members, at)
    if (problem !== undefined)
      throw invalidDetails('details_schema', `${problem}.`, { received: { detail_type: detail.type } })
    if (checked.some((one) => canonicalText(one.detail) === canonicalText(detail)))
      throw invalidDetails('details_malformed', 'authorization_details has the same object twice.', {
        received: { fault: 'the same object twice' },
      })
    checked.push({ detail, type })
  }
  return checked
}

/** Refuses details of types that only pushed requests may ask for (RFC 9126). @throws OAuthError */
export function demandPushed(checked: readonly CheckedDetail[], endpoint: string): void {
  const found = checked.find(({ type }) => type.pushed)
  if (found === undefined) return
  const { detail_type } = found.type
  throw invalidDetails(
    'details_not_pushed',
    `A request for this type of authorization_details must be pushed: push it to ${endpoint} (RFC 9126).`,
    { received: { detail_type }, expected: { endpoint } },
  )
}

/** Returns the text of checked details, as records have it. */
export const checkedText = (checked: readonly CheckedDetail[]) =>
  formatDetails(checked.map(({ detail }) => detail)) ?? ''

/**
 * Returns the details of a token that is asked for with `authorization_details` (RFC 9396 §6.1): those that are asked for.
 * @param granted those of the grant, or of the token that is exchanged
 * @throws OAuthError `invalid_authorization_details` if they are not within those that were granted
 */
export function narrowDetails(asked: readonly CheckedDetail[], granted: string | undefined): string {
  const shapes = new Map(asked.map(({ detail, type }) => [detail.type, type.shape]))
  const wanted = asked.map(({ detail }) => detail)
  if (areWithin(wanted, parseDetails(granted), (type) => shapes.get(type))) return checkedText(asked)
  throw invalidDetails(
    'details_not_granted',
    'The authorization_details are more than what was granted: ask for the same objects, for fewer, or for less where their type allows that.',
    {
      received: { types: wanted.map(({ type }) => type) },
      expected: { types: parseDetails(granted).map(({ type }) => type) },
    },
  )
}

/**
 * Returns those of a token's details that its client may have now, as knownDetails. Undefined: none.
 * @throws StorageUnavailable
 */
export function usableDetails(
  context: DetailsContext,
  client: DetailsAllowed,
  granted: string | undefined,
): Promise<readonly Detail[] | undefined> | undefined {
  return granted === undefined ? undefined : knownOf(context, client, granted)
}

async function knownOf(
  context: DetailsContext,
  client: DetailsAllowed,
  granted: string,
): Promise<readonly Detail[] | undefined> {
  const usable = await knownDetails(context, client, parseDetails(granted))
  return usable.length === 0 ? undefined : usable.map(({ detail }) => detail)
}

/** Whether one of some details counts once. @throws StorageUnavailable */
export function countOnce(
  { detail_types }: DetailsContext,
  details: readonly Detail[] | undefined,
): Promise<boolean> | false {
  if (details === undefined) return false
  const finding = details.map(({ type }) => detail_types.find(type))
  return Promise.all(finding).then((types) => types.some((type) => type?.once))
}

/**
 * Returns those of some details that a client may have now, each with its type: an operator may have taken a type from it,
 * or disabled the type, since they were granted.
 * @throws StorageUnavailable
 */
export async function knownDetails(
  { detail_types }: DetailsContext,
  { authorization_details_types: allowed = [] }: DetailsAllowed,
  granted: readonly Detail[],
): Promise<readonly CheckedDetail[]> {
  const found = await Promise.all(
    granted.map(async (detail) => {
      const type = allowed.includes(detail.type) ? await detail_types.find(detail.type) : undefined
      return type === undefined ? [] : [{ detail, type }]
    }),
  )
  return found.flat()
}
