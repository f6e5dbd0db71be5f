import type { TProperties } from '@sinclair/typebox'
import type { ApplicationRegistry } from '../applications/application-registry.ts'
import type { CurrentAccountContext } from '../claims/current-account.ts'
import type { Caller, ClientAuthContext, ProvenCaller } from '../clients/authentication/client-auth.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { GrantType } from '../clients/record/grant-types.ts'
import type { LifetimeContext } from '../clients/registration/lifetime.ts'
import type { AccessTokenFormat } from '../config/environment.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/actor.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import type { StepContext } from '../core/connection-steps.ts'
import type { ReportEvent } from '../core/events.ts'
import type { FamilyId } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import type { RequestStep } from '../core/reasons.ts'
import type { Tally } from '../core/tally.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import type { ProofContext } from '../dpop/check-proof.ts'
import type { SignInMethod } from '../interaction/sign-in-method.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { TargetContext } from '../resources/target.ts'
import type { SingleUse } from '../storage/single-use.ts'
import type { Storage } from '../storage/storage.ts'
import type { SigningContext } from '../tokens/access-jwt.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import type { Issued } from '../tokens/derived-tokens.ts'
import type { VerifyingKeys } from '../tokens/jws.ts'
import type { Issues, PlanContext, Purpose, TokenPlan } from '../tokens/plan.ts'
import type { EncryptionContext, Recipient } from '../tokens/signed-answer.ts'
import type { StatusBits } from '../tokens/status-bits.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import type { LinkedAccountContext } from '../users/linked-account.ts'

/** The dependencies of the token endpoint. */
export type GrantContext = ClientAuthContext &
  PlanContext &
  CurrentAccountContext &
  LifetimeContext &
  LinkedAccountContext &
  SigningContext &
  EncryptionContext &
  ProofContext &
  TargetContext &
  StepContext &
  DetailsContext & {
    /** The servers elsewhere that take identity assertions. */
    readonly applications: Pick<ApplicationRegistry, 'find'>
    settings: Pick<
      Settings,
      | 'refresh_retry_window'
      | 'trusted_issuers'
      | 'ask_people'
      | 'device_interval'
      | 'device_code_ttl'
      | 'ask_ttl'
      | 'exchanged_token_ttl'
    >
    storage: Pick<Storage, 'families' | 'lists' | 'noted_jwts' | 'records'>
    keys: Pick<KeyRing, 'signingKey' | 'firstKeys'> & VerifyingKeys
    /** The ways to sign in. */
    methods: readonly Pick<SignInMethod, 'isStillThere'>[]
    counts: { readonly tokens: IssuedTokens }
    /** Gives JWTs their bits in status lists; undefined: there are none. */
    readonly status_bits: StatusBits | undefined
    /** Says what a step takes along for the audit trail. */
    report: ReportEvent
  }

/** How many access tokens were issued, by grant and format. */
export type IssuedTokens = Readonly<Record<GrantType, Tally<AccessTokenFormat>>>

/**
 * The part of a token request that depends on the grant type. The pipeline does the rest, so that no handler can forget
 * to authenticate the client or to check its grant types.
 */
export interface GrantHandler {
  readonly grant_type: GrantType
  /** The grant types of which a client must be registered for one; absent: this one. */
  readonly registered_as?: readonly GrantType[]
  /** What the parameters are that it alone reads, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The step of a request that judges what it presents; absent: it presents nothing but the client. */
  readonly presents?: RequestStep
  /** Whether requests may ask for details, which are then part of those of the grant (RFC 9396 §6.1). */
  readonly narrows_details?: true
  /** Whether what it issues is an event, which has the id and the address of its request. */
  readonly tells?: true
  /** Whether it goes on with an earlier sign-in: then the ways to sign in are asked whether the user is still there. */
  readonly renews?: true
  /** What it may issue besides an access token. */
  readonly issues: Issues
  /** What it adds to the response. */
  readonly answer?: GrantAnswer
  /** Absent: always. */
  isEnabled?(settings: GrantSettings): boolean
  /** Reads the parameters of this grant type, before storage is read. @throws OAuthError `invalid_request` */
  parse(parameters: Parameters): Grant | ProvingGrant
}

/** The settings that turn a grant on. */
export type GrantSettings = Pick<Settings, 'trusted_issuers' | 'ask_people'>

/** What a grant adds to the token response. */
export interface GrantAnswer {
  /** The schemas of the members. */
  readonly members: TProperties
  /** Returns the members. @throws OAuthError; StorageUnavailable */
  of(context: GrantContext, issuance: Issuance, access_token: string): Promise<GrantMembers>
}

type GrantMembers = Partial<TokenResponse> & Readonly<Record<string, unknown>>

/** What is written, and for whom. */
export interface Issuance {
  readonly client: Client
  readonly plan: TokenPlan
  readonly granted: Granted
  /** Whom the id_token is encrypted to; undefined: it is only signed. */
  readonly recipient: Recipient | undefined
}

/** What a request proved, and what it uses up by that. */
export interface ProvenRequest {
  readonly confirmation: KeyConfirmation | undefined
  readonly single_uses: readonly SingleUse[]
}

/** What a client presents. */
export type Grant = TokenGrant | IssuingGrant

interface Checked {
  /**
   * Checks what depends on the client, before the tokens are planned.
   * @throws OAuthError; StorageUnavailable
   */
  check?(context: GrantContext, client: Client): void | Promise<void>
}

/** What a client presents to get what is no access token: no tokens are planned and written. */
export interface IssuingGrant extends Checked {
  /** @throws OAuthError; StorageUnavailable */
  issue(context: GrantContext, client: Client, proven: ProvenRequest): Promise<TokenResponse>
}

/** What a client presents to get tokens. */
export interface TokenGrant extends Checked {
  /**
   * Returns the id of the token family that the tokens will belong to; absent or undefined: the request names none.
   * @throws OAuthError `invalid_grant` if the request presents no code or token string
   */
  familyId?(): FamilyId | undefined
  /** Returns what it says about its tokens. Called after `familyId`. */
  purpose?(): Pick<Purpose, 'jti' | 'ends_by'>
  /**
   * Checks the grant and writes the tokens in one atomic step.
   * @throws OAuthError; StorageUnavailable
   */
  write(
    context: GrantContext,
    client: Client,
    plan: TokenPlan,
  ): Promise<Granted | GrantedTarget | GrantedDetails>
}

/** A grant that may authenticate the client, too: there is nothing to write before it is verified. */
export interface ProvingGrant {
  /** @throws OAuthError; StorageUnavailable */
  authenticate(context: GrantContext, caller: Caller): Promise<ProvenGrant>
}

/** An authenticated client, and the grant that it presents. */
export interface ProvenGrant extends ProvenCaller {
  readonly grant: Grant
}

/** Those of the grant, of which the request asks for some: nothing changed. */
export interface GrantedDetails {
  readonly details: string
}

/** The grant is for resources, and the plan for none: nothing changed. */
export interface GrantedTarget {
  /** Their ids, separated by spaces. */
  target: string
}

/** The result of a successful token request. */
export interface Granted {
  scope: string
  /** The access token of an earlier attempt, if this is its retry; absent: that of the plan. */
  issued?: Issued
  /** Absent if the client acts for itself. */
  user?: GrantedUser
  /** What the access token is for in detail (RFC 9396), as text; absent: nothing. */
  authorization_details?: string | undefined
  /** Who acts with the access token (RFC 8693 §4.1); absent: nobody but the client that the user signed in at. */
  act?: Actor | undefined
}

/** What a token request got for a user. */
export interface GrantedUser {
  sign_in: GrantFacts
  nonce?: string
  /** The client that the user signed in at, if that is another one; then the grant itself checked the account. */
  origin?: Client
  /** Absent if the client gets none. */
  refresh?: {
    token: string
    /** Seconds until the token expires if it is not used. */
    expires_in: number
  }
}
