import { type Static, type TSchema, Type } from '@sinclair/typebox'
import {
  ACCESS_TOKEN_FORMATS,
  type AccessTokenFormat,
  MAX_SIGNED_TOKEN_TTL,
} from '../../../src/config/environment.ts'
import { SIGNING_ALGS, type SigningAlg } from '../../../src/core/algs.ts'
import {
  isOpaqueToken,
  newFamilyId,
  newToken,
  parseToken,
  randomText,
} from '../../../src/core/token-string.ts'
import { verifyAccessJwt } from '../../../src/tokens/access-jwt.ts'
import { revokeVerifiedJwt } from '../../../src/tokens/revocation.ts'
import { encryptJwt, findRecipient } from '../../../src/tokens/signed-answer.ts'
import type { TokenResponse } from '../../../src/tokens/token-response.ts'
import type { DevParts } from '../../parts.ts'
import { ControlError } from '../control-error.ts'
import { clientNamed, userNamed } from '../named.ts'
import { devOperation } from '../operation.ts'
import { SIGN_IN_WAY } from '../sign-in.ts'
import { changedTokens } from './changed-tokens.ts'
import { exchange } from './exchange.ts'
import { issueForClient, issueForUser, type WantedTokens } from './issue.ts'
import { isJwtFault, TOKEN_FAULT_NAMES, TOKEN_FAULTS, type TokenFaultName } from './token-faults.ts'

const Members = (description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>(
      Type.Object({}, { additionalProperties: true, description }),
    ),
  )

const Several = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(Type.Unsafe<readonly Static<Item>[]>(Type.Array(item, { description })))

const TokenExchange = Type.Object(
  { client: Type.String(), resource: Type.String(), scope: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

const TokenInput = Type.Object(
  {
    client: Type.String({ description: 'client_id' }),
    user: Type.Optional(Type.String({ description: 'username; absent: the client acts for itself' })),
    scope: Type.Optional(Type.String({ description: 'by default all that the client may obtain' })),
    resource: Type.Optional(
      Type.String({ description: 'the APIs that the access token is for, separated by spaces' }),
    ),
    claims: Members('claims of the access token, which is a JWT then: any, null removes one'),
    id_token_claims: Members('the same for the id_token'),
    header: Members('header of the access token: any, null removes one'),
    expires_in: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_SIGNED_TOKEN_TTL, description: 'seconds' }),
    ),
    format: Type.Optional(
      Type.Unsafe<AccessTokenFormat>(
        Type.String({
          enum: [...ACCESS_TOKEN_FORMATS],
          description: 'by default as the API, the client and the settings say',
        }),
      ),
    ),
    alg: Type.Optional(Type.Unsafe<SigningAlg>(Type.String({ enum: [...SIGNING_ALGS] }))),
    jkt: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{43}$',
        description: 'thumbprint of the DPoP key that the tokens are bound to (RFC 9449)',
      }),
    ),
    nonce: Type.Optional(Type.String({ description: 'of the id_token' })),
    authorization_details: Several(
      Type.Object({ type: Type.String() }, { additionalProperties: true }),
      'what the person allows in detail (RFC 9396)',
    ),
    exchanges: Several(
      TokenExchange,
      'clients that exchange the access token, one after the other (RFC 8693), each with `client`, `resource` and perhaps `scope`: the answer is that of the last one',
    ),
    ...SIGN_IN_WAY,
    fault: Type.Optional(
      Type.Unsafe<TokenFaultName>(
        Type.String({ enum: TOKEN_FAULT_NAMES, description: 'what is wrong with the tokens' }),
      ),
    ),
  },
  { additionalProperties: false },
)
type TokenInput = Static<typeof TokenInput>

/** Issues tokens without a flow: they are real ones, or have a fault on purpose. */
export const TOKEN = devOperation({
  summary:
    'Tokens of any kind without a flow, as the token endpoint answers them: real ones, or with a fault',
  method: 'POST',
  path: '/tokens',
  call: 'token({ client, user, … })',
  input: TokenInput,
  async run(parts, input): Promise<TokenResponse> {
    const {
      client: client_id,
      user: username,
      claims,
      id_token_claims,
      header,
      fault,
      jkt,
      exchanges = [],
      ...wanted
    } = input
    const context = parts.fastify.redmint
    const client = await clientNamed(parts, client_id)
    const bound_to = fault === 'other_key' ? randomText(32) : jkt
    const confirmation = bound_to === undefined ? undefined : { jkt: bound_to }
    const asked = { ...wanted, client, format: formatOf(input) }
    // Who exchanges a token binds the new one to a key of his own.
    const first = { ...asked, confirmation: exchanges.length === 0 ? confirmation : undefined }
    let issued =
      username === undefined
        ? await issueForClient(parts, first)
        : await issueForUser(parts, first, await userNamed(parts, username))
    for (const [place, { client: by, ...given }] of exchanges.entries()) {
      const is_last = place === exchanges.length - 1
      issued = await exchange(parts, issued.access_token, {
        ...{ client: await clientNamed(parts, by), ...given },
        ...(is_last && { ...shapeOf(asked), confirmation }),
      })
    }
    assertHasIdToken(input, issued)
    if (fault === 'revoked') await revokeAll(parts, issued)
    const changed = await changedTokens(context, issued, {
      ...{ header, claims, id_token_claims },
      ...(fault !== undefined && isJwtFault(fault) && { fault }),
    })
    const stored = fault === 'expired' ? withoutRecords(changed) : changed
    const recipient =
      stored.id_token === undefined ? undefined : await findRecipient(context, client, 'id_token')
    return recipient === undefined || stored.id_token === undefined
      ? stored
      : { ...stored, id_token: await encryptJwt(recipient, stored.id_token) }
  },
})

const shapeOf = ({ expires_in, format, alg }: Pick<WantedTokens, 'expires_in' | 'format' | 'alg'>) => ({
  expires_in,
  format,
  alg,
})

/** Returns the format of the access token; undefined: whatever it has by itself. @throws ControlError */
function formatOf({ format, claims, header, fault }: TokenInput): AccessTokenFormat | undefined {
  const needs = [
    ...(claims === undefined ? [] : ['claims']),
    ...(header === undefined ? [] : ['header']),
    // Of an opaque token, storage knows that it expired.
    ...(fault === undefined || !isJwtFault(fault) || fault === 'expired' || TOKEN_FAULTS[fault].only
      ? []
      : [fault]),
  ]
  if (needs.length === 0) return format
  if (format !== 'opaque') return 'jwt'
  throw new ControlError(
    `An opaque access token says nothing by itself, and cannot have ${needs.join(', ')}: leave format out.`,
  )
}

/** @throws ControlError if the fault or the claims are of an id_token, and there is none */
function assertHasIdToken({ fault, id_token_claims }: TokenInput, { id_token }: TokenResponse): void {
  const what =
    fault !== undefined && TOKEN_FAULTS[fault].only === 'id_token'
      ? fault
      : id_token_claims && 'id_token_claims'
  if (what === undefined || id_token !== undefined) return
  throw new ControlError(`${what} is of an id_token, and there is none: give user, and a scope with openid.`)
}

/** Revokes what was issued, with all of the same sign-in. @throws StorageUnavailable */
async function revokeAll({ fastify }: DevParts, { access_token }: TokenResponse): Promise<void> {
  const context = fastify.redmint
  const { families } = context.storage
  if (isOpaqueToken(access_token)) {
    await families.revokeToken(access_token, undefined)
    await families.revokeFamily(parseToken(access_token)?.family ?? '')
    return
  }
  const verified = verifyAccessJwt(context, access_token)
  if (!verified.valid) return
  await revokeVerifiedJwt(context.storage, verified.token)
  await families.revokeFamily(parseToken(verified.token.jti)?.family ?? '')
}

/** Returns an answer whose tokens in storage are gone, as they are when they have expired. */
function withoutRecords(answer: TokenResponse): TokenResponse {
  const gone = () => newToken(newFamilyId())
  return {
    ...answer,
    ...(isOpaqueToken(answer.access_token) && { access_token: gone() }),
    ...(answer.refresh_token !== undefined && { refresh_token: gone() }),
  }
}
