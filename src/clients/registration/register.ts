import type { Settings } from '../../config/settings.ts'
import { commit } from '../../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../../core/events.ts'
import { invalidInvitation, invitationNeeded, tooManyRegistrations } from '../../core/registration-errors.ts'
import { randomText } from '../../core/token-string.ts'
import { noteLockout } from '../../limits/lockouts.ts'
import { counterOf } from '../../limits/networks.ts'
import type { NewClient, Registered, RegistrationLimits } from '../../storage/registrations.ts'
import type { Storage } from '../../storage/storage.ts'
import { demandUsableKeys, describeClient } from '../documents/client-metadata.ts'
import { REGISTERED_CLIENT } from '../record/client-kind.ts'
import { type Client, formatClient } from '../record/client-record.ts'
import { secretHash } from '../record/client-secret.ts'
import { type ClientInformation, clientInformation } from './information.ts'
import { digestOf, INITIAL_ACCESS_TOKEN, idOf } from './initial-access-token.ts'
import { FIRST_LIFETIME, lapsing, lifetimeOf } from './lifetime.ts'

/** The settings of registration. */
export type RegistrationSettings = Pick<
  Settings,
  | 'client_certificate_secret'
  | 'client_registration'
  | 'client_registration_ttl'
  | 'client_registrations'
  | 'client_registrations_per_address'
  | 'issuer'
  | 'refresh_token_ttl'
  | 'self_registered_scopes'
  | 'signing_algs'
>

/** The dependencies of registration. */
export interface RegistrationContext {
  readonly settings: RegistrationSettings
  readonly storage: Pick<Storage, 'records' | 'registrations' | 'bounded'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A request to register a client. */
export interface RegistrationRequest {
  /** The parsed JSON of the body. */
  readonly metadata: unknown
  /** The bearer token; absent: none. */
  readonly invitation: string | undefined
  /** The IPv4 address, or the network of the IPv6 address, of the sender. */
  readonly address: string
}

const SECRET_BYTES = 32
const ADDRESS_DIGITS = 16
/** Milliseconds. */
const WINDOW = 3_600_000
// It shows operators at a glance which clients registered themselves.
const ID_PREFIX = 'self-'

/** Returns a new secret or token: 256 random bits, 43 base64url characters. */
export const newSecret = () => randomText(SECRET_BYTES)

/**
 * Registers a client (RFC 7591 §3), in one step with the limit or the invitation that allows it.
 * @throws OAuthError `unauthorized`, `invalid_token`, `temporarily_unavailable` (429), or as describeClient and
 * demandUsableKeys; StorageUnavailable
 */
export async function registerClient(
  context: RegistrationContext,
  { metadata, invitation, address }: RegistrationRequest,
): Promise<ClientInformation> {
  const { settings, storage, now } = context
  if (invitation === undefined && settings.client_registration !== 'open') throw invitationNeeded()
  const secret = newSecret()
  const registration_access_token = newSecret()
  const described = describeClient(metadata, {
    client_id: storage.registrations.newClientId(ID_PREFIX),
    client_secret_hash: secretHash(secret),
    scopes: settings.self_registered_scopes,
    signing_algs: settings.signing_algs,
    client_certificates: settings.client_certificate_secret !== undefined,
  })
  // Anybody may send keys, and only those of a client that may register are worth the work.
  if (described.jwks !== undefined) await demandAdmission(context, { invitation, address })
  demandUsableKeys(described)
  // A client with an invitation may take some time; without one, anybody could fill storage.
  const ttl = invitation === undefined ? FIRST_LIFETIME : lifetimeOf(settings, described)
  const registered_at = new Date(now()).toISOString()
  const client: Client = {
    ...described,
    ...(described.client_secret_hash === undefined ? {} : { client_secret_created_at: registered_at }),
    registered_at,
    ...lapsing(ttl, now()),
    registration_token_hash: secretHash(registration_access_token),
  }
  const by = invitation === undefined ? 'anybody' : 'invitation'
  const event: SecurityEvent = { event: 'client_registered', client_id: client.client_id, by }
  await commit(context, [event], {}, (told) =>
    writeClient(context, client, { ttl, told }, { invitation, address }),
  )
  return clientInformation(settings.issuer, client, {
    registration_access_token,
    ...(client.client_secret_hash === undefined ? {} : { client_secret: secret }),
  })
}

/** @throws OAuthError as registerClient if the client may not register now */
async function writeClient(
  { storage, settings }: RegistrationContext,
  client: Client,
  written: Pick<NewClient, 'ttl' | 'told'>,
  { invitation, address }: Pick<RegistrationRequest, 'invitation' | 'address'>,
): Promise<'ok'> {
  const { registrations } = storage
  const write = { kind: REGISTERED_CLIENT, id: client.client_id, hash: formatClient(client), ...written }
  if (invitation !== undefined) {
    const used = await storage.records.use(INITIAL_ACCESS_TOKEN, idOf(invitation), 1, write)
    if (used === 'missing') throw invalidInvitation()
    return used
  }
  const found = await registrations.registerOpenly(write, nameOf(address), limitsOf(settings))
  return assertRegistered(storage, found, address)
}

/** @throws OAuthError as registerClient if the client may not register now */
async function demandAdmission(
  { storage, settings }: RegistrationContext,
  { invitation, address }: Pick<RegistrationRequest, 'invitation' | 'address'>,
): Promise<void> {
  const { registrations } = storage
  if (invitation !== undefined) {
    const found = await storage.records.read(INITIAL_ACCESS_TOKEN, idOf(invitation))
    if (!(Number(found?.hash.uses_left) >= 1)) throw invalidInvitation()
    return
  }
  const found = await registrations.mayRegisterOpenly(nameOf(address), limitsOf(settings))
  await assertRegistered(storage, found, address)
}

/** The limit of an address is a lockout, which operators see. @throws OAuthError if a limit refuses the registration */
async function assertRegistered(
  storage: RegistrationContext['storage'],
  { outcome, ends_in }: Registered,
  address: string,
): Promise<'ok'> {
  if (outcome === 'ok') return outcome
  if (outcome === 'address') {
    const place = { group: 'registration', name: nameOf(address) } as const
    await noteLockout(storage, place, { counter: 'registration', address }, ends_in)
  }
  throw tooManyRegistrations(outcome, ends_in)
}

const nameOf = (address: string) => digestOf(counterOf(address)).slice(0, ADDRESS_DIGITS)

const limitsOf = (settings: RegistrationSettings): RegistrationLimits => ({
  in_all: settings.client_registrations,
  of_address: settings.client_registrations_per_address,
  window: WINDOW,
})
