import { isDeepStrictEqual } from 'node:util'
import type { Presented } from '../../certificates/client-certificate.ts'
import { invalidClient, keysFacts, refusedClientAssertion } from '../../core/client-errors.ts'
import { invalidRequest } from '../../core/errors.ts'
import type { Parameters } from '../../core/parameters.ts'
import { present } from '../../core/present.ts'
import { singleUseOf } from '../../issuers/assertion-id.ts'
import { readAssertion } from '../../issuers/verify-assertion.ts'
import type { Attempt, FailureCount, FailureLimit } from '../../limits/failure-limit.ts'
import { noteLockout } from '../../limits/lockouts.ts'
import type { SingleUse } from '../../storage/single-use.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ClientRegistry } from '../client-registry.ts'
import type { ClientKeys } from '../keys/client-keys.ts'
import type { Client } from '../record/client-record.ts'
import { isShortSecret, matchingDigest } from '../record/client-secret.ts'
import { usesCertificate } from '../record/mtls-fields.ts'
import { type CertificateCheck, type CertificateContext, checkCertificate } from './certificate-auth.ts'
import { type ClientAssertionContext, clientOfAssertion } from './client-assertion.ts'
import {
  type BasicCredentials,
  type ClientCredentials,
  nameClient,
  readClientCredentials,
} from './client-credentials.ts'
import { isOwnAssertion, type OwnAssertionContext, proveByKey } from './own-assertion.ts'
import type { SecretUses } from './secret-uses.ts'
import { usedBefore } from './used-before.ts'

/** The sender of a request. */
export interface Caller {
  /** The credentials of an Authorization header of the Basic scheme. */
  readonly basic: BasicCredentials | undefined
  /** Returns the client certificate that the proxy passed on (RFC 8705). */
  certificate(): Presented
  /** The URL of the endpoint that it asks: below the issuer, or its alias for client certificates (RFC 8705 §5). */
  readonly endpoint: string
  /** Returns the IPv4 address, or the network of the IPv6 address. */
  address(): string
  /** Counts a failed authentication under a name. @throws StorageUnavailable */
  countFailure(name: string): Promise<FailureCount>
}

/** The dependencies of client authentication. */
export interface ClientAuthContext extends ClientAssertionContext, OwnAssertionContext, CertificateContext {
  readonly settings: ClientAssertionContext['settings']
  readonly client_keys: Pick<ClientKeys, 'find' | 'findCertified'>
  readonly clients: Pick<ClientRegistry, 'cached' | 'find' | 'read'>
  readonly failures: Pick<FailureLimit, 'check' | 'is_quiet'>
  readonly secret_uses: Pick<SecretUses, 'note'>
  readonly storage: Pick<Storage, 'families' | 'bounded'>
}

/** An authenticated client, and what can be used only once, the id of its assertion: the caller uses it up. */
export interface ProvenCaller {
  readonly client: Client
  readonly single_uses: readonly SingleUse[]
}

const NOTHING_ONCE: readonly SingleUse[] = []

// RFC 7523 §2.2.
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Authenticates the client of a request, and uses up its assertion. Endpoints that write something call proveClient
 * instead, and use the assertion up in the step that writes.
 * @throws as proveClient; OAuthError `invalid_client` if its assertion was used before
 */
export async function authenticateClient(
  context: ClientAuthContext,
  caller: Caller,
  parameters: Parameters,
): Promise<Client> {
  const { client, single_uses } = await proveClient(context, caller, parameters)
  if (single_uses.length === 0) return client
  const { client_id } = client
  const used = await context.storage.families.useOnce(single_uses, client_id)
  if (used !== 'ok') throw usedBefore(used, client_id)
  return client
}

/**
 * Authenticates the client of a request. An unknown client and a wrong secret or certificate take the same steps:
 * comparisons, one read of the record, so that a changed secret is accepted at once, and one count of the failure.
 * A request that proves nothing, neither by a secret nor by a certificate, is not counted.
 * @throws OAuthError `invalid_client`, or as readClientCredentials and FailureLimit; StorageUnavailable
 */
export async function proveClient(
  context: ClientAuthContext,
  caller: Caller,
  parameters: Parameters,
): Promise<ProvenCaller> {
  const { client_assertion, client_assertion_type } = parameters
  if (client_assertion !== undefined || client_assertion_type !== undefined) {
    return await proveByAssertion(context, caller, parameters)
  }
  const credentials = readClientCredentials(caller.basic, parameters)
  if (!nameClient(credentials))
    throw invalidClient('client_unnamed', 'the request names no client, by Basic or in the body')
  const known = context.clients.cached(credentials.client_id)
  const checking = certificateOf(context, caller, credentials, known)
  const known_by = checking instanceof Promise ? await checking : checking
  // Usually there are no failures: nothing has to wait, and the record in the cache is enough.
  const found = context.failures.is_quiet ? fromCache(context, credentials, known, known_by) : undefined
  return found ?? (await context.failures.check(attemptOf(context, caller, credentials, known, known_by)))
}

/**
 * Returns an attempt to authenticate with a secret, a certificate, or as a public client.
 * @param known the client in the cache
 * @param known_by the check of the certificate against it
 */
function attemptOf(
  context: ClientAuthContext,
  caller: Caller,
  credentials: ClientCredentials,
  known: Client | undefined,
  known_by: CertificateCheck | undefined,
): Attempt<ProvenCaller> {
  const { clients } = context
  const { client_id, client_secret } = credentials
  const has_secret = client_secret !== undefined
  // The record that was read: the cache has none while the notice of a change is awaited.
  let stored: Client | undefined
  const registered = () => (stored ?? clients.cached(client_id))?.client_id
  return {
    client_id,
    has_secret,
    isProof: () => has_secret || caller.certificate().ok,
    address: () => caller.address(),
    fromCache: () => fromCache(context, credentials, known, known_by),
    async fromStorage() {
      stored = await clients.read(client_id)
      // The same record has the same answer, and keys that cannot be fetched are not asked for twice.
      const certificate = isDeepStrictEqual(stored, known)
        ? known_by
        : await certificateOf(context, caller, credentials, stored)
      const proven_caller = proven(context, credentials, stored, certificate)
      if (proven_caller !== undefined) return proven_caller
      const cause = refusalOf(credentials, stored, certificate)
      const away = certificate?.ok === false && 'away' in certificate ? certificate.away : undefined
      if (away !== undefined)
        throw invalidClient('client_keys_away', cause, stored?.client_id, keysFacts(away))
      const reason = stored === undefined ? 'client_unknown' : 'client_credentials_wrong'
      throw invalidClient(reason, cause, stored?.client_id)
    },
    async count(name) {
      const counted = await caller.countFailure(name)
      // Further attempts with a secret are refused, and not counted.
      if (counted.remaining === 0) {
        const whom = { counter: 'client_auth', ...present({ client_id: registered() }) } as const
        const place = { group: 'client', name } as const
        await noteLockout(context.storage, place, { ...whom, address: caller.address() }, counted.ttl)
      }
      return counted
    },
    registered,
  }
}

/**
 * Authenticates a client by an assertion (RFC 7521 §4.2): of the client itself, or of a trusted issuer. Failures are not
 * counted: nobody can guess a signature.
 * @throws OAuthError `invalid_request` if there are other credentials, `invalid_client`; as proveByKey and
 * clientOfAssertion
 */
async function proveByAssertion(
  context: ClientAuthContext,
  { basic, endpoint }: Caller,
  parameters: Parameters,
): Promise<ProvenCaller> {
  const { client_assertion, client_assertion_type } = parameters
  if (client_assertion === undefined || client_assertion_type === undefined) {
    throw invalidRequest(
      'client_assertion_incomplete',
      'client_assertion and client_assertion_type belong together: send both.',
      {
        received: {
          parameter: client_assertion === undefined ? 'client_assertion_type' : 'client_assertion',
        },
        expected: { parameters: ['client_assertion', 'client_assertion_type'] },
      },
    )
  }
  const { client_id, client_secret } = readClientCredentials(basic, parameters)
  // RFC 6749 §2.3: not more than one authentication method in a request.
  if (client_secret !== undefined) {
    throw invalidRequest(
      'client_authentications_several',
      'Authenticate by a secret or by client_assertion, not by both.',
      { received: { methods: ['client_secret', 'client_assertion'] }, expected: { methods: 1 } },
    )
  }
  if (client_assertion_type !== JWT_BEARER) {
    throw refusedClientAssertion('client_assertion_malformed', `not of the type ${JWT_BEARER}`)
  }
  const unverified = readAssertion(client_assertion)
  if (typeof unverified === 'string') throw refusedClientAssertion('client_assertion_malformed', unverified)
  if (isOwnAssertion(unverified, client_id)) {
    const { client, single_use } = await proveByKey(context, unverified, { endpoint, client_id })
    return { client, single_uses: [single_use] }
  }
  if (!context.settings.trusted_issuers) {
    throw refusedClientAssertion(
      'client_assertion_issuer',
      'its iss and its sub are not both the client_id, and this server trusts no other issuers',
    )
  }
  const proven = await clientOfAssertion(context, client_assertion, 'client_authentication', client_id)
  if (!proven.ok) throw refusedClientAssertion(`client_assertion_${proven.fault}`, proven.text, proven)
  const { client, assertion } = proven
  const once = singleUseOf(assertion, context.now())
  return { client, single_uses: once === undefined ? NOTHING_ONCE : [once] }
}

/** Whether its certificate authenticates a client, or why not; undefined if it authenticates in another way. */
function certificateOf(
  context: ClientAuthContext,
  caller: Caller,
  { client_secret }: ClientCredentials,
  client: Client | undefined,
): Promise<CertificateCheck> | CertificateCheck | undefined {
  if (client === undefined || !usesCertificate(client)) return undefined
  // RFC 6749 §2.3: not more than one authentication method in a request.
  if (client_secret !== undefined) return { ok: false, reason: 'a secret instead of its certificate' }
  const presented = caller.certificate()
  return presented.ok ? checkCertificate(context, client, presented.certificate) : presented
}

/** As proven, by the record in the cache. One that changed while this attempt waited is read anew. */
function fromCache(
  context: ClientAuthContext,
  credentials: ClientCredentials,
  known: Client | undefined,
  known_by: CertificateCheck | undefined,
): ProvenCaller | undefined {
  const is_unchanged = context.clients.cached(credentials.client_id) === known
  return is_unchanged ? proven(context, credentials, known, known_by) : undefined
}

/** Returns the client if the credentials are its own, with nothing to use up. Notes the use of its secret. */
function proven(
  { secret_uses, now }: ClientAuthContext,
  { client_secret }: ClientCredentials,
  client: Client | undefined,
  certificate: CertificateCheck | undefined,
): ProvenCaller | undefined {
  const digest = matchingDigest(client_secret ?? '', client, now())
  if (certificate !== undefined && client !== undefined) {
    return certificate.ok ? { client, single_uses: NOTHING_ONCE } : undefined
  }
  // RFC 6749 §2.1: a public client has no secret, so a request with one does not come from it.
  if (client?.is_public)
    return client_secret === undefined ? { client, single_uses: NOTHING_ONCE } : undefined
  if (client === undefined || digest === undefined) return undefined
  // RFC 7591 §2: a client with keys has the one method that it is registered with.
  if (client.token_endpoint_auth_method === 'private_key_jwt') return undefined
  secret_uses.note(client.client_id, digest, isShortSecret(client_secret ?? ''))
  return { client, single_uses: NOTHING_ONCE }
}

/** Returns the reason for the log. */
function refusalOf(
  { client_secret }: ClientCredentials,
  client: Client | undefined,
  certificate: CertificateCheck | undefined,
): string {
  if (certificate?.ok === false) return certificate.reason
  if (client === undefined) return 'unknown client'
  if (client.token_endpoint_auth_method === 'private_key_jwt') {
    return 'the client authenticates by private_key_jwt, and not by a secret'
  }
  return client_secret === undefined
    ? 'no secret in the request, by Basic or in the body'
    : 'wrong credentials'
}
