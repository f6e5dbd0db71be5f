import { isObject, parseObject } from '../../core/json.ts'

/** What the script of a page posts: the JSON of a credential (WebAuthn Level 3 §5.1). */
export interface PasskeyAnswer {
  /** The credential id, base64url. */
  readonly id: string
  /** The challenge that it answers, as it was sent. */
  readonly challenge: string
  /** base64url; undefined: the authenticator did not say. */
  readonly user_handle: string | undefined
  readonly transports: readonly string[]
  readonly response: Readonly<Record<string, unknown>>
}

/** More than any answer without attestation has. */
const MAX_LENGTH = 16_384
// WebAuthn Level 3 §4: a credential id has at most 1023 bytes.
const ID = /^[A-Za-z0-9_-]{1,1364}$/
const TRANSPORT = /^[a-z-]{1,16}$/
const MAX_TRANSPORTS = 8

/**
 * Reads what a page posted; undefined if it is nothing that our page made: it is malformed, or was made in a frame of
 * another origin (WebAuthn Level 3 §7.1 steps 9 and 10, §7.2 steps 13 and 14).
 */
export function readAnswer(text: string | undefined): PasskeyAnswer | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined
  const { id, response } = parseObject(text) ?? {}
  if (typeof id !== 'string' || !ID.test(id) || !isObject(response)) return undefined
  const { clientDataJSON, userHandle, transports } = response
  if (typeof clientDataJSON !== 'string') return undefined
  const client_data = parseObject(Buffer.from(clientDataJSON, 'base64url').toString())
  const { challenge, crossOrigin = false, topOrigin } = client_data ?? {}
  if (typeof challenge !== 'string' || crossOrigin !== false || topOrigin !== undefined) return undefined
  return {
    id,
    challenge,
    user_handle: typeof userHandle === 'string' && userHandle !== '' ? userHandle : undefined,
    transports: (Array.isArray(transports) ? transports : [])
      .filter((transport): transport is string => typeof transport === 'string' && TRANSPORT.test(transport))
      .slice(0, MAX_TRANSPORTS),
    response,
  }
}
