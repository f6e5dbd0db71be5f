import type { Settings } from '../../config/settings.ts'
import { type ReportEvent, reportAll, type SecurityEvent, toldOf } from '../../core/events.ts'
import { nameForm, visibleNameProblem } from '../../core/visible-text.ts'
import type { ShownPasskey } from '../../pages/passkey-list.ts'
import type { User } from '../../users/user-record.ts'
import { changeFactors, type FactorsContext, findFactors, subForTrail } from '../change-factors.ts'
import { FACTORS, type Factors, type Passkey, passkeyField } from '../factors-record.ts'
import { releasePasskeys } from './passkey-owner.ts'
import { providerName } from './provider-names.ts'
import { relyingParty } from './relying-party.ts'

/** The passkeys of a person, the oldest first. */
export function listPasskeys({ passkeys }: Pick<Factors, 'passkeys'>): readonly ShownPasskey[] {
  return [...passkeys]
    .map(([id, { name, created_at, last_used_at, browser, backup_eligible }]) => ({
      id,
      name,
      created_at,
      is_synced: backup_eligible,
      ...(last_used_at !== undefined && { last_used_at }),
      ...(browser !== undefined && { browser }),
    }))
    .sort((one, other) => one.created_at - other.created_at)
}

const MAX_NAME = 64

/**
 * Gives a passkey another name, which changes nothing that it can do: no proof of the owner ends by it.
 * @returns `name`: the name is empty, too long, or has characters that nobody sees
 * @throws StorageUnavailable
 */
export async function renamePasskey(
  context: FactorsContext,
  username: string,
  id: string,
  typed: string,
): Promise<'renamed' | 'name' | 'missing'> {
  const name = nameForm(typed.trim())
  if (name.length > MAX_NAME || visibleNameProblem(name) !== undefined) return 'name'
  const field = passkeyField(id)
  for (;;) {
    const { factors, hash } = await findFactors(context, username)
    const passkey = factors.passkeys.get(id)
    if (passkey === undefined) return 'missing'
    const change = {
      set: { [field]: JSON.stringify({ ...passkey, name }) },
      expected: { [field]: hash[field] ?? '' },
    }
    if ((await context.storage.records.change(FACTORS, username, change)) === 'ok') return 'renamed'
  }
}

/**
 * Removes a passkey. It leaves the factors first, so that an end in between leaves no way in.
 * @param keeps_last the last one stays: there is no other way in
 * @returns `last`: it is the last one, and stays
 * @throws StorageUnavailable
 */
export async function removePasskey(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  id: string,
  { keeps_last = false }: { readonly keeps_last?: boolean } = {},
): Promise<'removed' | 'missing' | 'last'> {
  let removed: Passkey | undefined
  let is_last = false
  let event: SecurityEvent = { event: 'passkey_removed', username }
  const sub = await subForTrail(context, username)
  const change = (factors: Factors) => {
    removed = factors.passkeys.get(id)
    is_last = keeps_last && removed !== undefined && factors.passkeys.size === 1
    if (removed === undefined || is_last) return undefined
    event = { event: 'passkey_removed', username, provider: providerName(removed.aaguid) }
    return { ...factors, passkeys: new Map([...factors.passkeys].filter(([other]) => other !== id)) }
  }
  const told = () => toldOf(context.report, [event], { sub })
  const changed = await changeFactors(context, username, change, told)
  // Also if they left the factors in a call that ended before this.
  await releasePasskeys(context, username, changed === undefined ? [] : [id])
  if (changed === undefined) return is_last ? 'last' : 'missing'
  context.report(event)
  return 'removed'
}

/** Removes all passkeys, or all of these, in one step. @throws StorageUnavailable */
export async function removeAllPasskeys(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  ids?: readonly string[],
): Promise<void> {
  let removed: ReadonlyMap<string, Passkey> = new Map()
  let events: readonly SecurityEvent[] = []
  const sub = await subForTrail(context, username)
  const change = (factors: Factors) => {
    const isMeant = (id: string) => ids?.includes(id) ?? true
    const kept = new Map([...factors.passkeys].filter(([id]) => !isMeant(id)))
    removed = new Map([...factors.passkeys].filter(([id]) => isMeant(id)))
    events = [...removed.values()].map(({ aaguid }) => ({
      event: 'passkey_removed',
      username,
      provider: providerName(aaguid),
    }))
    return removed.size === 0 ? undefined : { ...factors, passkeys: kept }
  }
  await changeFactors(context, username, change, () => toldOf(context.report, events, { sub }))
  await releasePasskeys(context, username, removed.keys())
  reportAll(context.report, events)
}

/** What a page tells the browser after a change of passkeys or of the name (WebAuthn Level 3 §5.1.10). */
export interface PasskeySignals {
  readonly rpId: string
  readonly userId: string
  /** All of them: the browser may remove each other one for good. */
  readonly allAcceptedCredentialIds: readonly string[]
  readonly name: string
  readonly displayName: string
}

/**
 * What a page tells the browser, as JSON to put into `data-passkey-signals`: only to the user who is signed in. Undefined: the
 * user never had a passkey.
 */
export function passkeySignals(
  settings: Pick<Settings, 'issuer'>,
  { username, claims }: User,
  { user_handle, passkeys }: Factors,
): PasskeySignals | undefined {
  if (user_handle === undefined) return undefined
  return {
    rpId: relyingParty(settings).id,
    userId: user_handle,
    allAcceptedCredentialIds: [...passkeys.keys()],
    name: username,
    displayName: claims.name ?? username,
  }
}
