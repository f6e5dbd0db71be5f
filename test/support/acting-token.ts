// Tokens with which a client acts for the user of another token, for whatever they are wanted: no exchange gives them.
import { decodeJwt } from 'jose'
import { isOpaqueToken, newToken, parseToken } from '../../src/core/token-string.ts'
import { signAccessToken } from '../../src/tokens/access-jwt.ts'
import type { Service } from './service.ts'

/** What a token is for. */
interface Wanted {
  readonly client_id: string
  readonly scope: string
  /** Empty: the server itself. */
  readonly audience: string
}

/** Derives a token of each format from the access token of a user; a client acts with it. */
export async function actingTokens(
  { storage, fastify }: Pick<Service, 'storage' | 'fastify'>,
  access_token: string,
  wanted: Wanted,
) {
  const { keys, settings, now } = fastify.redmint
  const is_jwt = !isOpaqueToken(access_token)
  const origin = is_jwt ? String(decodeJwt(access_token).jti) : access_token
  const family = parseToken(origin)?.family ?? ''
  const { subject = '' } = (await storage.families.findFamily(family)) ?? {}
  const { client_id, scope, audience } = wanted
  const act = { sub: client_id, client_id }
  const derive = async (as_jwt: boolean) => {
    const token = newToken(family)
    const outcome = await storage.families.deriveToken({
      subject: { token: origin, is_jwt },
      ...{ token, is_jwt: as_jwt, client_id, scope, audience, access_token_ttl: 60, single_uses: [] },
      fields: { act: JSON.stringify(act) },
    })
    if (outcome !== 'ok') throw new Error(`not derived: ${JSON.stringify(outcome)}`)
    return token
  }
  const jti = await derive(true)
  const jwt = signAccessToken(
    { settings, now },
    { key: keys.signingKey('ES256'), ttl: 60 },
    { ...wanted, subject, jti, act },
  )
  return { opaque: await derive(false), jwt }
}
