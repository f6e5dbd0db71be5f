import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { ClientAuth } from 'openid-client'
import { parseObject } from '../core/json.ts'
import { visibleNameProblem } from '../core/visible-text.ts'
import { signJwt } from '../tokens/jwt.ts'
import type { Provider } from './provider-record.ts'

/** What Apple is asked for beyond the subject. With one of them it answers only by a form (`response_mode=form_post`). */
const ABOUT_PEOPLE = ['name', 'email']

/** How long an assertion is for, in seconds: Apple allows six months. */
const LIFETIME = 300
/** By how many seconds the clock of Apple may be behind. */
const CLOCK_TOLERANCE = 30
/** The longest field `user`, and the longest name in it, in characters. */
const LONGEST = { user: 1024, name: 100 }

/** Whether a provider answers by a form of its own site, and not by an address. */
export const answersByForm = ({ kind, scope }: Pick<Provider, 'kind' | 'scope'>): boolean =>
  kind === 'apple' && scope.some((name) => ABOUT_PEOPLE.includes(name))

/** Returns why a text cannot be the key of a client of Apple, as text that completes "<field> …"; undefined if it can. */
export function appleKeyProblem(pem: string): string | undefined {
  return readKey(pem) === undefined
    ? 'must be the private key in the file AuthKey_….p8 of Apple, all lines of it'
    : undefined
}

function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

/**
 * Authenticates redmint at Apple: the client secret is a JWT, made anew for each request, so that none is kept or ends.
 * @param now milliseconds since 1970
 * @throws Error with a code if the key cannot be used
 */
export function appleAuthentication(
  { team_id, key_id = '', issuer }: Pick<Provider, 'team_id' | 'key_id' | 'issuer'>,
  pem: string,
  now: () => number,
): ClientAuth {
  const key = readKey(pem)
  if (key === undefined) throw Object.assign(new Error('not a key of Apple'), { code: 'PRIVATE_KEY' })
  return (_server, { client_id }, body) => {
    const iat = Math.floor(now() / 1000) - CLOCK_TOLERANCE
    const claims = { iss: team_id, iat, exp: iat + LIFETIME, aud: issuer, sub: client_id }
    body.set('client_id', client_id)
    body.set('client_secret', signJwt({ alg: 'ES256', kid: key_id, privateKey: key }, 'JWT', claims))
  }
}

/**
 * Returns the name in the field `user` of a form of Apple. Apple does not sign it, and whoever has the browser can write
 * it: it may be the name of a new account, and nothing else. An address in it does not count.
 */
export function appleName(user: string | undefined): Readonly<Record<string, string>> {
  if (user === undefined || user.length > LONGEST.user) return {}
  const { name } = parseObject(user) ?? {}
  const { firstName, lastName } = (name ?? {}) as { firstName?: unknown; lastName?: unknown }
  const given_name = nameIn(firstName)
  const family_name = nameIn(lastName)
  const whole = [given_name, family_name].filter((part) => part !== undefined).join(' ')
  return {
    ...(given_name !== undefined && { given_name }),
    ...(family_name !== undefined && { family_name }),
    ...(whole !== '' && { name: whole }),
  }
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST.name) return undefined
  const name = value.trim()
  return visibleNameProblem(name) === undefined ? name : undefined
}
