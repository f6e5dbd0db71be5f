import type { Settings } from '../../config/settings.ts'

/** Whom passkeys are for (WebAuthn Level 3 §4): all of it comes from the issuer, and nothing from a request. */
export interface PasskeyRelyingParty {
  /** The host of the issuer. */
  readonly id: string
  /** The origin of the pages that may use passkeys. */
  readonly origin: string
}

/** The relying party of an issuer. */
export function relyingParty({ issuer }: Pick<Settings, 'issuer'>): PasskeyRelyingParty {
  const { hostname, origin } = new URL(issuer)
  return { id: hostname, origin }
}
