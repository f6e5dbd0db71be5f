import type { Settings } from '../../config/settings.ts'
import type { ReportEvent, SecurityEvent } from '../../core/events.ts'
import { nameForm, visibleNameProblem } from '../../core/visible-text.ts'
import type { ShownPasskey } from '../../pages/passkey-list.ts'
import type { User } from '../../users/user-record.ts'
import { changeFactors, type FactorsContext, findFactors } from '../change-factors.ts'
import { FACTORS, type Factors, passkeyField } from '../factors-record.ts'
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
  let is_last = false
  const change = (factors: Factors) => {
    const has_it = factors.passkeys.has(id)
    is_last = keeps_last && has_it && factors.passkeys.size === 1
    return has_it && !is_last ? withoutPasskeys(factors, (other) => other === id) : undefined
  }
  const changed = await changeFactors(context, username, change, removalsOf(username))
  // Also if they left the factors in a call that ended before this.
  await releasePasskeys(context, username, changed === undefined ? [] : [id])
  if (changed === undefined) return is_last ? 'last' : 'missing'
  return 'removed'
}

/** Removes all passkeys, or all of these, in one step. @throws StorageUnavailable */
export async function removeAllPasskeys(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  ids?: readonly string[],
): Promise<void> {
  let removed: readonly string[] = []
  const change = (factors: Factors) => {
    const isMeant = (id: string) => ids?.includes(id) ?? true
    removed = [...factors.passkeys.keys()].filter(isMeant)
    return removed.length === 0 ? undefined : withoutPasskeys(factors, isMeant)
  }
  await changeFactors(context, username, change, removalsOf(username))
  await releasePasskeys(context, username, removed)
}

function withoutPasskeys(factors: Factors, isRemoved: (id: string) => boolean): Factors {
  return { ...factors, passkeys: new Map([...factors.passkeys].filter(([id]) => !isRemoved(id))) }
}

const removalsOf =
  (username: string) =>
  (former: Factors, present: Factors): SecurityEvent[] =>
    [...former.passkeys].flatMap(([id, { aaguid }]) =>
      present.passkeys.has(id) ? [] : { event: 'passkey_removed', username, provider: providerName(aaguid) },
    )

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
 * What a page tells the browser, as JSON to put into `data-passkey-signals`: only to the user who is signed in.
 * Undefined: the user never had a passkey.
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
