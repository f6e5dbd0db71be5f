import type { User } from '../../accounts/user-record.ts'
import type { Settings } from '../../config/settings.ts'
import type { ReportEvent } from '../../core/events.ts'
import { nameForm, visibleNameProblem } from '../../core/visible-text.ts'
import { changeFactors, type FactorsContext, findFactors } from '../change-factors.ts'
import { FACTORS, type Factors, type Passkey, passkeyField } from '../factors-record.ts'
import { releasePasskeys } from './passkey-owner.ts'
import { providerName } from './provider-names.ts'
import { relyingParty } from './relying-party.ts'

/** A passkey as its owner sees it. */
export interface ListedPasskey extends Pick<Passkey, 'name' | 'created_at' | 'last_used_at' | 'browser'> {
  readonly id: string
  /** What keeps it, if it is known. */
  readonly provider?: string
  /** Whether it may be on several devices of its owner; false: on one device only. */
  readonly is_synced: boolean
}

/** The passkeys of a person, the oldest first. */
export function listPasskeys({ passkeys }: Pick<Factors, 'passkeys'>): readonly ListedPasskey[] {
  return [...passkeys]
    .map(([id, { name, created_at, last_used_at, browser, backup_eligible, aaguid }]) => {
      const provider = providerName(aaguid)
      return {
        id,
        name,
        created_at,
        is_synced: backup_eligible,
        ...(last_used_at !== undefined && { last_used_at }),
        ...(browser !== undefined && { browser }),
        ...(provider !== undefined && { provider }),
      }
    })
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
  if (name === '' || name.length > MAX_NAME || visibleNameProblem(name) !== undefined) return 'name'
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
 * @returns whether there was one
 * @throws StorageUnavailable
 */
export async function removePasskey(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  id: string,
): Promise<boolean> {
  let removed: Passkey | undefined
  const changed = await changeFactors(context, username, (factors) => {
    removed = factors.passkeys.get(id)
    if (removed === undefined) return undefined
    return { ...factors, passkeys: new Map([...factors.passkeys].filter(([other]) => other !== id)) }
  })
  // Also if they left the factors in a call that ended before this.
  await releasePasskeys(context, username, changed === undefined ? [] : [id])
  if (changed === undefined) return false
  context.report({ event: 'passkey_removed', username, provider: providerName(removed?.aaguid ?? '') })
  return true
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
