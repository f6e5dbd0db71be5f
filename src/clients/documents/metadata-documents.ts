import type { Settings } from '../../config/settings.ts'
import { clientDocumentAway, unusableClientDocument } from '../../core/client-errors.ts'
import { type StepContext, tellUnproven } from '../../core/connection-steps.ts'
import { OAuthError } from '../../core/errors.ts'
import type { ClientId } from '../../core/ids.ts'
import { invalidClientMetadata } from '../../core/registration-errors.ts'
import type { Tally } from '../../core/tally.ts'
import { isLoopbackHost, isUrl } from '../../core/uri.ts'
import {
  DocumentCache,
  type DocumentCacheLimits,
  type UsableDocument,
} from '../../outbound/document-cache.ts'
import {
  describeFailure,
  type FetchFailure,
  type FetchFailureCode,
  failureCode,
  type GetDocument,
  getPublicly,
} from '../../outbound/public-get.ts'
import { type Client, isClientId, parseClient } from '../record/client-record.ts'
import { isClientIdUrl, isHostIn } from './client-id-url.ts'
import { readClientMetadata } from './client-metadata.ts'

const DAY = 86_400

/** Documents are fresh for a minute to a day; a refresh token outlives an outage of a day. */
const LIMITS: DocumentCacheLimits = {
  min_fresh: 60,
  default_fresh: 300,
  max_fresh: DAY,
  max_stale: DAY,
  retry_interval: 60,
  // About 2000 documents of the longest kind.
  max_size: 10 * 1024 * 1024,
  per_host: 10,
  per_minute: 120,
  places: { concurrency: 16, renewals: 64, per_host: 2 },
}

/** What came of the documents that were asked for; the labels of a counter. */
export const DOCUMENT_RESULTS = [
  'accepted',
  'address',
  'network',
  'time',
  'unavailable',
  'status',
  'media_type',
  'size',
  'json',
  'invalid',
  'budget',
] as const satisfies readonly (FetchFailureCode | 'accepted')[]

// A later attempt may succeed without a change of the document; or an answer would tell whether a name has a private
// address.
const MAY_PASS: readonly FetchFailureCode[] = ['address', 'network', 'time', 'unavailable', 'budget']

/** What came of one document. */
export type DocumentResult = (typeof DOCUMENT_RESULTS)[number]

type DocumentSettings = Pick<
  Settings,
  | 'client_certificate_secret'
  | 'client_id_metadata'
  | 'client_id_metadata_deny'
  | 'self_registered_scopes'
  | 'signing_algs'
>

/** The dependencies of MetadataDocuments. */
export interface DocumentContext extends StepContext {
  readonly settings: DocumentSettings
  readonly get: GetDocument
  readonly counts: { readonly documents: Tally<DocumentResult> }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Whether a server takes metadata documents of any host. */
export function takesDocuments({ client_id_metadata: hosts }: Pick<Settings, 'client_id_metadata'>): boolean {
  return hosts === 'all' || (hosts !== 'none' && hosts.length > 0)
}

/** Whether a client_id is a URL whose document may describe a client here. */
export function mayDescribe(
  { client_id_metadata: allowed, client_id_metadata_deny: denied }: DocumentSettings,
  client_id: ClientId,
): boolean {
  if (allowed === 'none' || !isClientId(client_id) || !isClientIdUrl(client_id)) return false
  const { hostname } = new URL(client_id)
  return !isHostIn(hostname, denied) && (allowed === 'all' || isHostIn(hostname, allowed))
}

/**
 * Returns what fetches the documents of clients. Loopback addresses are allowed only if the issuer is on loopback: then
 * nobody else uses this server (§8.6).
 */
export function documentGetter(issuer: string): GetDocument {
  const is_local = isUrl(issuer) && isLoopbackHost(new URL(issuer).hostname)
  return (url) => getPublicly(url, { allow_private: is_local ? 'loopback' : false })
}

/** Returns a client whose document is not known here: it has the tokens that were issued to it, and no redirect URIs. */
export function undescribedClient(
  { self_registered_scopes }: Pick<Settings, 'self_registered_scopes'>,
  client_id: ClientId,
): Client {
  const allowed_scopes = self_registered_scopes.join(' ')
  const hash = { is_public: 'true', redirect_uris: '', allowed_scopes, grant_types: 'authorization_code' }
  const parsed = parseClient(client_id, hash)
  if (!parsed.ok) throw new TypeError('a client without a document is malformed')
  return { ...parsed.record, document_host: new URL(client_id).host }
}

/** Clients whose client_id is the URL of a document that describes them (draft-ietf-oauth-client-id-metadata-document). */
export class MetadataDocuments {
  readonly #settings: DocumentSettings
  readonly #counts: Tally<DocumentResult>
  readonly #documents: DocumentCache<Client>

  constructor({ settings, get, counts, steps, now }: DocumentContext) {
    this.#settings = settings
    this.#counts = counts.documents
    const read = (document: Record<string, unknown>, url: string) => {
      const described = this.#read(document, url)
      if (described.ok) tellUnproven({ steps }, () => ({ step: 'document', client_id: url, from: '' }))
      return described
    }
    this.#documents = new DocumentCache((url) => this.#counted(get(url)), read, LIMITS, now)
  }

  /** Whether this client_id is such a URL, of a host that is allowed. */
  covers(client_id: ClientId): boolean {
    return mayDescribe(this.#settings, client_id)
  }

  /** Returns the client if its document is known and fresh. */
  fresh(client_id: ClientId): Client | undefined {
    return this.#documents.fresh(client_id)
  }

  /**
   * Returns the client, for a sign-in that begins: its document is fetched if it is not fresh.
   * @throws OAuthError that says why the document cannot be used, or cannot be fetched now (§5.1)
   */
  async demand(client_id: ClientId): Promise<Client> {
    const found = this.#noted(await this.#documents.find(client_id))
    if (found.ok) return found.value
    throw MAY_PASS.includes(found.code)
      ? clientDocumentAway(describeFailure(found), failureCode(found))
      : unusableClientDocument(found.problem, failureCode(found))
  }

  /**
   * Returns the client, for a grant that exists: while its host does not answer, a document of the last day counts.
   * Undefined if the host says that there is no such client any more.
   * @throws OAuthError `temporarily_unavailable` if the document is not known and cannot be fetched now
   */
  async renew(client_id: ClientId): Promise<Client | undefined> {
    const found = this.#noted(await this.#documents.find(client_id, 'on_error'))
    if (found.ok) return found.value
    if (found.is_gone) return undefined
    throw clientDocumentAway(describeFailure(found), failureCode(found))
  }

  /**
   * Returns the client for what was issued to it. Nothing is fetched: a token must not depend on the host of a client. If
   * the document is not known here, the client has no redirect URIs.
   */
  known(client_id: ClientId): Client {
    return this.#documents.kept(client_id) ?? undescribedClient(this.#settings, client_id)
  }

  async #counted(fetching: ReturnType<GetDocument>): ReturnType<GetDocument> {
    const fetched = await fetching
    if (!fetched.ok) this.#counts[fetched.code] += 1
    return fetched
  }

  // Nothing was fetched, so that it is not counted elsewhere.
  #noted(found: UsableDocument<Client> | FetchFailure): UsableDocument<Client> | FetchFailure {
    if (!found.ok && found.code === 'budget') this.#counts.budget += 1
    return found
  }

  #read(document: Record<string, unknown>, url: string) {
    try {
      const value = this.#clientOf(document, url)
      this.#counts.accepted += 1
      return { ok: true, value } as const
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      this.#counts.invalid += 1
      return { ok: false, problem: `is refused: ${error.description.replace(/\.$/, '')}` } as const
    }
  }

  /** @throws OAuthError */
  #clientOf(document: Record<string, unknown>, url: string): Client {
    // §4: simple string comparison.
    if (document.client_id !== url)
      throw invalidClientMetadata('metadata_refused', 'its client_id differs from the URL that it has')
    checkSecrets(document)
    const { self_registered_scopes: scopes, signing_algs } = this.#settings
    const { origin, host } = new URL(url)
    // The document may change at any time, so no logout token is sent to an address in it.
    const { backchannel_logout_uri: _, ...metadata } = document
    const client_certificates = this.#settings.client_certificate_secret !== undefined
    const rules = { client_id: url, scopes, signing_algs, client_certificates, origin }
    const client = readClientMetadata(metadata, rules)
    return { ...client, document_host: host }
  }
}

// §4.1: everybody can read the document.
function checkSecrets(document: Record<string, unknown>): void {
  for (const member of ['client_secret', 'client_secret_expires_at']) {
    if (Object.hasOwn(document, member))
      throw invalidClientMetadata('metadata_refused', `it must not have ${member}`)
  }
}
