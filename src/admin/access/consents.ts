import { type Static, Type } from '@sinclair/typebox'
import { commit } from '../../core/commit.ts'
import type { ClientId } from '../../core/ids.ts'
import { scopeNames } from '../../core/scope.ts'
import { CONSENT, consentId, isDetailName, rememberedDetails } from '../../interaction/consent.ts'
import { recordOf } from '../../storage/records.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { readUser } from '../users/record-type.ts'
import type { AccessContext } from './context.ts'
import { ShownDetails, shownDetails } from './details.ts'
import { type AccessPage, COUNTED, type EndedCount, type PageRequested, pageOfParts } from './page.ts'

/** A consent as operators see it. */
export const ConsentAnswer = Type.Object(
  {
    client_id: Type.String(),
    scope: Type.String({ description: 'The scope names that the user allowed' }),
    authorization_details: Type.Optional(ShownDetails),
    given_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { additionalProperties: false },
)
export type ConsentAnswer = Static<typeof ConsentAnswer>

/** Returns a page of what a user allowed clients. @throws AdminError `not_found`, `invalid_cursor`; StorageUnavailable */
export async function listConsents(
  context: AccessContext,
  username: string,
  wanted: PageRequested = {},
): Promise<AccessPage<ConsentAnswer>> {
  const { sub = '' } = await readUser(context.storage, username)
  return pageOfConsents(context, sub, wanted)
}

/**
 * Withdraws a consent: the user is asked again; tokens stay.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function withdrawConsent(
  context: AdminContext,
  username: string,
  client_id: ClientId,
): Promise<EndedCount> {
  const { storage } = context
  const { sub = '' } = await readUser(storage, username)
  const event = { event: 'consent_withdrawn', username, sub, client_id } as const
  const removed = await commit(context, [event], {}, (told) =>
    storage.records.remove(CONSENT, consentId(sub, client_id), told),
  )
  if (removed === undefined)
    throw new AdminError(
      'not_found',
      `No consent of the user "${username}" for the client "${client_id}" is remembered: check both names.`,
    )
  await storage.lists.remove({ list: 'consents-of', owner: sub }, client_id)
  return { ended: 1 }
}

/**
 * Withdraws all consents of a user. There are at most as many as clients that the user was asked about.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function withdrawConsentsOf(context: AdminContext, username: string): Promise<EndedCount> {
  const { sub = '' } = await readUser(context.storage, username)
  let ended = 0
  let cursor: string | undefined
  do {
    const { items, next } = await pageOfConsents(context, sub, { cursor, limit: COUNTED })
    for (const { client_id } of items) ended += (await withdrawConsent(context, username, client_id)).ended
    cursor = next
  } while (cursor !== undefined)
  return { ended }
}

function pageOfConsents(
  { storage }: AccessContext,
  sub: string,
  wanted: PageRequested,
): Promise<AccessPage<ConsentAnswer>> {
  const key = { list: 'consents-of', owner: sub } as const
  return pageOfParts(async (part) => {
    const { entries, next } = await storage.lists.page(key, part)
    const stale: string[] = []
    const read = entries.map(async ({ id }): Promise<ConsentAnswer | undefined> => {
      const consent = recordOf(await storage.records.read(CONSENT, consentId(sub, id)))
      if (consent === undefined) {
        stale.push(id)
        return undefined
      }
      const { given_at } = consent
      // What the digests of details stand for is shown instead.
      const names = scopeNames(consent.scope).filter((name) => !isDetailName(name))
      return {
        client_id: id,
        scope: names.join(' '),
        ...shownDetails([...rememberedDetails(consent).values()]),
        ...(given_at !== undefined && { given_at }),
      }
    })
    const items = (await Promise.all(read)).filter((consent) => consent !== undefined)
    await storage.lists.remove(key, ...stale)
    return { items, next }
  }, wanted)
}
