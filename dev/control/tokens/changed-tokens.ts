import type { Context } from '../../../src/context.ts'
import { verifiedAlg } from '../../../src/core/algs.ts'
import { looksLikeJwt } from '../../../src/keys/jwt-reader.ts'
import { accessTokenHash } from '../../../src/tokens/id-token.ts'
import { forge, type JwtParts, partsOf, type Signer } from './forge.ts'
import { JWT_FAULTS, type JwtFault, type JwtFaultName } from './token-faults.ts'

type SigningContext = Pick<Context, 'keys' | 'now'>

/** The tokens of an answer of the token endpoint. */
export interface AnsweredTokens {
  access_token?: string
  id_token?: string
}

/** Members to set in a header or in claims; null removes one. */
type Members = Readonly<Record<string, unknown>>

/** Changes of the JWTs of an answer. */
export interface TokenChanges {
  /** Of the header of the access token. */
  readonly header?: Members | undefined
  /** Of the claims of the access token. */
  readonly claims?: Members | undefined
  readonly id_token_claims?: Members | undefined
  readonly fault?: JwtFaultName | undefined
}

/**
 * Returns an answer whose JWTs are changed, and signed anew. What is no JWT stays as it is.
 * @throws StorageUnavailable if no key can sign
 */
export async function changedTokens<Answer extends AnsweredTokens>(
  context: SigningContext,
  answer: Answer,
  { header = {}, claims = {}, id_token_claims = {}, fault: name }: TokenChanges,
): Promise<Answer> {
  const fault: JwtFault | undefined = name && JWT_FAULTS[name]
  const changed = { ...answer }
  const { access_token, id_token } = answer
  if (access_token !== undefined && looksLikeJwt(access_token)) {
    changed.access_token = await changedJwt(
      context,
      access_token,
      (jwt) => {
        setMembers(jwt.header, header)
        setMembers(jwt.claims, claims)
      },
      fault?.only === undefined ? fault : undefined,
    )
  }
  // An encrypted one has five parts.
  if (id_token !== undefined && looksLikeJwt(id_token)) {
    const hashOf = hashFor(changed.access_token)
    changed.id_token = await changedJwt(
      context,
      id_token,
      (jwt) => {
        if ('at_hash' in jwt.claims) Object.assign(jwt.claims, hashOf(jwt))
        setMembers(jwt.claims, id_token_claims)
      },
      fault,
    )
  }
  return changed
}

const hashFor =
  (access_token = '') =>
  ({ header }: JwtParts) => {
    const alg = verifiedAlg(header.alg)
    return alg === undefined ? {} : { at_hash: accessTokenHash(access_token, alg) }
  }

async function changedJwt(
  { keys, now }: SigningContext,
  jwt: string,
  change: (jwt: JwtParts) => void,
  fault: JwtFault | undefined,
): Promise<string> {
  const parts = partsOf(jwt)
  const alg = verifiedAlg(parts.header.alg)
  if (alg === undefined) return jwt
  change(parts)
  fault?.change?.(parts, Math.floor(now() / 1000))
  const signer: Signer = fault?.signer ?? 'server'
  return await forge(keys, parts, alg, signer)
}

function setMembers(of: Record<string, unknown>, members: Members): void {
  for (const [name, value] of Object.entries(members)) {
    if (value === null) Reflect.deleteProperty(of, name)
    else of[name] = value
  }
}
