import { SET_EVENT } from '../core/security-events.ts'
import { FACTORS } from '../factors/factors-record.ts'
import { recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { FactorChange, Signal } from './signals-of.ts'

/** How strongly somebody can sign in: values of `acr`, the weakest first. */
const LEVELS = ['1', '2', 'phr'] as const
type Level = (typeof LEVELS)[number]

/**
 * Returns the signal that somebody can sign in more or less strongly than before; undefined: a change of factors made no
 * difference.
 * @throws StorageUnavailable
 */
export async function assuranceSignal(
  { records }: RecordStore,
  username: string,
  { kinds, is_added }: FactorChange,
  common: Signal['claims'],
): Promise<Signal | undefined> {
  const factors = recordOf(await records.read(FACTORS, username))
  const has_app = factors?.totp !== undefined
  const passkeys = factors?.passkeys.size ?? 0
  const current = levelOf(has_app, passkeys > 0)
  // Of passkeys there may have been others before.
  const previous = is_added
    ? levelOf(has_app && !kinds.includes('totp'), passkeys > (kinds.includes('passkeys') ? 1 : 0))
    : levelOf(has_app || kinds.includes('totp'), passkeys > 0 || kinds.includes('passkeys'))
  if (current === previous) return undefined
  const is_increase = LEVELS.indexOf(current) > LEVELS.indexOf(previous)
  return {
    event: SET_EVENT.assurance_level_change,
    claims: {
      // CAEP 1.0: an alias that both sides agreed on; it is the claim of the same name.
      namespace: 'acr',
      current_level: current,
      previous_level: previous,
      change_direction: is_increase ? 'increase' : 'decrease',
      ...common,
    },
  }
}

function levelOf(has_app: boolean, has_passkey: boolean): Level {
  if (has_passkey) return 'phr'
  return has_app ? '2' : '1'
}
