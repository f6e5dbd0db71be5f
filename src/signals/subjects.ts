import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import { isObject } from '../core/json.ts'
import type { ListKey } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import { MAX_MUTED, MUTED_FOR } from './bounds.ts'
import { streamLimited, streamRequestMalformed } from './errors.ts'

/** What it takes to say of whom a receiver wants to hear. */
export interface SubjectsContext {
  readonly storage: Pick<Storage, 'lists'>
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const RETRY_AFTER = 3600
const MAX_SUB = 255

/** The people of whom a receiver does not want to hear, by the subs that it has for them. */
export const mutedSubjects = (client_id: ClientId): ListKey => ({ list: 'muted-subjects', owner: client_id })

/**
 * Reads the subject of a request: somebody by the sub that this issuer gave for them.
 * @throws OAuthError `invalid_request` for any other subject
 */
export function readSubject({ settings }: Pick<SubjectsContext, 'settings'>, subject: unknown): string {
  const { format, iss, sub } = isObject(subject) ? subject : {}
  const is_ours = format === 'iss_sub' && iss === settings.issuer
  if (!is_ours || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB)
    throw streamRequestMalformed(
      `subject must be {"format": "iss_sub", "iss": "${settings.issuer}", "sub": the sub of the id_token}.`,
    )
  return sub
}

/**
 * Lets a receiver hear of somebody again. Whether there is such a person, and whether the receiver knows them, makes no
 * difference (SSF 1.0, Subject Probing).
 * @throws StorageUnavailable
 */
export async function addSubject(
  { storage }: SubjectsContext,
  client_id: ClientId,
  sub: string,
): Promise<void> {
  await storage.lists.remove(mutedSubjects(client_id), sub)
}

/** Lets a receiver hear of somebody no more, as addSubject. @throws OAuthError; StorageUnavailable */
export async function removeSubject(
  { storage, now }: SubjectsContext,
  client_id: ClientId,
  sub: string,
): Promise<void> {
  const key = mutedSubjects(client_id)
  if ((await storage.lists.count(key)) >= MAX_MUTED) throw streamLimited('subjects', RETRY_AFTER)
  await storage.lists.add({ ...key, id: sub, until: now() + MUTED_FOR })
}
