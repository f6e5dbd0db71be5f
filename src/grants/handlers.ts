import { Type } from '@sinclair/typebox'
import { TOKEN_MEMBERS, type USER_MEMBERS } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { ciba } from './ciba.ts'
import { clientCredentials } from './client-credentials.ts'
import { deviceCode } from './device-code.ts'
import type { GrantHandler, GrantSettings } from './grant-handler.ts'
import { jwtBearer } from './jwt-bearer.ts'
import { refreshToken } from './refresh-token.ts'
import { tokenExchange } from './token-exchange.ts'

/** All grants. What the token endpoint reads, answers and explains follows from them. */
export const HANDLERS: readonly GrantHandler[] = [
  authorizationCode,
  clientCredentials,
  refreshToken,
  deviceCode,
  ciba,
  jwtBearer,
  tokenExchange,
]

/** Returns the grant types that the token endpoint supports. */
export const supportedGrantTypes = (settings: GrantSettings) =>
  HANDLERS.filter((handler) => isEnabled(handler, settings)).map(({ grant_type }) => grant_type)

/** Whether the settings turn a grant on. */
export const isEnabled = ({ isEnabled }: GrantHandler, settings: GrantSettings) =>
  isEnabled === undefined || isEnabled(settings)

/** The steps that judge what a token request presents. */
export const PRESENTED = HANDLERS.flatMap(({ presents = [] }) => presents)

/** Whether what a grant issues is an event. */
export const isTold = (grant_type: string | undefined) =>
  HANDLERS.some((handler) => handler.tells === true && handler.grant_type === grant_type)

const members: typeof TOKEN_MEMBERS & typeof USER_MEMBERS = Object.assign(
  { ...TOKEN_MEMBERS },
  ...HANDLERS.map(({ answer }) => answer?.members),
)

/** The body of a token response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export const TokenResponse = Type.Object(members, {
  $id: 'redmint:TokenResponse',
  description: 'The issued tokens',
})
