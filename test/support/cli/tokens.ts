// Tokens for the tests of the commands.

import { formatClient } from '../../../src/clients/record/client-record.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { KeyRing, type SigningKey } from '../../../src/keys/ring.ts'
import type { RotationSettings } from '../../../src/keys/rotate.ts'
import { familyEntryId } from '../../../src/storage/listed-family.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { createClient, saveCode } from '../records.ts'
import { CLIENTS, ISSUER } from '../service.ts'

export const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', ISSUER }
export const ROTATION: RotationSettings = { key_rotation_days: 90 }
/** The client, subject and scope of the tokens. */
export const ISSUED = { client_id: 'web', subject: 'alice', scope: 'openid a' }

/** Registers the client `web` and redeems a code, of a user if one is given. Returns the tokens of the sign-in. */
export async function signIn(storage: Storage, username?: string) {
  const user = username === undefined ? {} : { username }
  await createClient(storage, 'web', formatClient(CLIENTS.web))
  const grant = newFamilyId()
  const [code, access_token, refresh_token] = [newToken(grant), newToken(grant), newToken(grant)]
  const binding = { client_id: 'web', redirect_uri: 'https://a.example/', code_challenge: 'challenge' }
  await saveCode(storage, code, { ...ISSUED, ...binding, ...user, auth_time: 1 }, 60)
  const ttl = { access_token_ttl: 900, refresh_token_ttl: 1800 }
  await redeemCode(storage, code, { ...binding, ...ttl, operation: 'o', access_token, refresh_token })
  const entry = { id: familyEntryId(grant, 0), until: Date.now() + 1_800_000 }
  await storage.lists.add({ list: 'grants-of-client', owner: 'web', ...entry })
  if (username !== undefined) await storage.lists.add({ list: 'grants-of-user', owner: username, ...entry })
  return { grant, access_token, refresh_token }
}

/** Returns the key that servers on this storage sign with; `now` in milliseconds since 1970. */
export async function signingKeyOf(storage: Storage, now: number): Promise<SigningKey> {
  const log = { info() {}, warn() {}, error() {} }
  const keys = new KeyRing({
    store: storage.signing_keys,
    records: storage.records,
    settings: ROTATION,
    log,
    now: () => now,
  })
  await keys.reload()
  return keys.signingKey('ES256')
}

/** Returns the claims of a JWT access token of a family, valid for ten minutes. */
export function claimsOf(grant: string, now: number) {
  const iat = Math.floor(now / 1000)
  const { client_id, subject } = ISSUED
  const own = { iss: ISSUER, aud: ISSUER, jti: newToken(grant), iat, exp: iat + 600 }
  return { ...own, sub: subject, client_id, scope: 'a' }
}
