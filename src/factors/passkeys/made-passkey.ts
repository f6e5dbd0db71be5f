import type { Settings } from '../../config/settings.ts'
import { useOnce } from '../../interaction/use-once.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { readAnswer } from './answer.ts'
import { CHALLENGE_TTL, type ChallengeContext, type ChallengeFor, isChallengeFor } from './challenge.ts'
import { relyingParty } from './relying-party.ts'
import { noteHost } from './settled-host.ts'
import type { ProvenPasskey } from './verify.ts'

/** What it takes to judge a passkey that the page of a link made. */
export interface MadeContext extends ChallengeContext {
  readonly settings: Pick<Settings, 'issuer'>
  readonly storage: RecordStore
}

/** A passkey that somebody made, and that counts for nobody yet. */
export interface MadePasskey {
  readonly id: string
  readonly challenge: string
  readonly proven: ProvenPasskey
  readonly transports: readonly string[]
}

/**
 * Judges what a page posted. Undefined: it took too long, or is not for this. It is not used up.
 * @throws StorageUnavailable, as Sealer.open
 */
export async function readMade(
  context: MadeContext,
  is_for: ChallengeFor,
  posted: string | undefined,
): Promise<MadePasskey | undefined> {
  const answer = readAnswer(posted)
  if (answer === undefined) return undefined
  const { id, challenge, transports } = answer
  const { verifyCreation } = await import('./verify.ts')
  const proven = await verifyCreation(answer, relyingParty(context.settings))
  if (proven === undefined || !isChallengeFor(context, is_for, challenge)) return undefined
  return { id, challenge, proven, transports }
}

/** Uses up the challenge of a passkey: it counts once, at all replicas. @throws StorageUnavailable */
export async function useMade(context: MadeContext, { challenge }: MadePasskey): Promise<boolean> {
  if (!(await useOnce(context, 'first passkey', challenge, CHALLENGE_TTL))) return false
  await noteHost(context)
  return true
}

/** Judges what a page posted, and uses it up. @throws StorageUnavailable */
export async function takeMade(
  context: MadeContext,
  is_for: ChallengeFor,
  posted: string,
): Promise<MadePasskey | undefined> {
  const made = await readMade(context, is_for, posted)
  return made !== undefined && (await useMade(context, made)) ? made : undefined
}
