// An Apple without sockets: it takes what Apple takes, and answers by a form.
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, exportJWK, jwtVerify, SignJWT } from 'jose'
import type { Meddle } from './federation.ts'

export const APPLE = 'https://appleid.apple.com'
export const TEAM = { team_id: 'TEAM123456', key_id: 'KEY1234567' }

/** What operators get from Apple as a file. */
export const newAppleKey = (curve = 'P-256') => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Starts one that knows this key, at the times that `now` says, in milliseconds since 1970. */
export async function fakeApple(pem: string, now: () => number) {
  const signing = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...(await exportJWK(signing.publicKey)), kid: 'apple-1', use: 'sig', alg: 'RS256' }
  const secrets: string[] = []
  const codes = new Map<string, object>()
  const json = (value: unknown, status = 200) =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })
  const apple = {
    /** The client secrets that were presented. */
    secrets,
    /** Who signs the id_tokens. */
    signer: signing.privateKey as KeyObject,
    /** Returns a code for an id_token with these claims. */
    grant(claims: object) {
      const code = `c${codes.size}`
      codes.set(code, claims)
      return code
    },
    now: (async ({ pathname }, body) => {
      if (pathname === '/.well-known/openid-configuration') {
        return json({
          issuer: APPLE,
          authorization_endpoint: `${APPLE}/auth/authorize`,
          token_endpoint: `${APPLE}/auth/token`,
          jwks_uri: `${APPLE}/auth/keys`,
          response_types_supported: ['code'],
          response_modes_supported: ['query', 'fragment', 'form_post'],
          subject_types_supported: ['pairwise'],
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        })
      }
      if (pathname === '/auth/keys') return json({ keys: [jwk] })
      if (pathname !== '/auth/token') return undefined
      const form = new URLSearchParams(body)
      const secret = form.get('client_secret') ?? ''
      secrets.push(secret)
      const iat = Math.floor(now() / 1000)
      const key = createPublicKey(pem)
      const limits = { issuer: TEAM.team_id, audience: APPLE, subject: 'com.example.login' }
      const is_client = await jwtVerify(secret, key, { ...limits, currentDate: new Date(now()) }).then(
        ({ payload: { exp = Number.POSITIVE_INFINITY, iat: since = 0 } }) =>
          exp - since <= 15_777_000 && since <= iat && decodeProtectedHeader(secret).kid === TEAM.key_id,
        () => false,
      )
      if (!is_client || form.get('client_id') !== limits.subject)
        return json({ error: 'invalid_client' }, 400)
      const claims = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      if (claims === undefined) return json({ error: 'invalid_grant' }, 400)
      const id_token = await new SignJWT({
        iss: APPLE,
        aud: limits.subject,
        iat,
        exp: iat + 86_400,
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid: jwk.kid })
        .sign(apple.signer)
      return json({ access_token: 'a.b', token_type: 'Bearer', expires_in: 3600, id_token })
    }) satisfies Meddle as Meddle,
  }
  return apple
}
