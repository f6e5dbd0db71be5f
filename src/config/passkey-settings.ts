import { isIP } from 'node:net'
import { isUrl } from '../core/uri.ts'

/** The settings of passkeys. */
export interface PasskeySettings {
  readonly sign_in: string
  readonly passkeys: 'off' | 'on'
  readonly issuer: string
}

/** Whether there are passkeys: they are turned on, and the issuer has a name, because no passkey is for an address. */
export function hasPasskeys({ issuer, passkeys }: Pick<PasskeySettings, 'issuer' | 'passkeys'>): boolean {
  return passkeys === 'on' && isIP(hostOf(issuer)) === 0
}

/** Whether people sign in by passkeys and in no other way. */
export const hasOnlyPasskeys = ({ sign_in }: Pick<PasskeySettings, 'sign_in'>): boolean =>
  sign_in === 'passkeys'

/** Returns why nobody could sign in. */
export function passkeyProblems(
  settings: PasskeySettings,
  nameOf: (field: keyof PasskeySettings) => string,
): [field: keyof PasskeySettings, problem: string][] {
  const { issuer, passkeys } = settings
  if (!hasOnlyPasskeys(settings)) return []
  if (passkeys === 'off')
    return [['sign_in', `is passkeys, and ${nameOf('passkeys')} is off: nobody could sign in`]]
  // A malformed issuer has a problem of its own.
  if (!isUrl(issuer) || hasPasskeys(settings)) return []
  const address = hostOf(issuer)
  return [['sign_in', `is passkeys, which are for names, and ${nameOf('issuer')} has the address ${address}`]]
}

// An IPv6 address is in brackets.
const hostOf = (issuer: string): string => new URL(issuer).hostname.replace(/^\[|\]$/g, '')
