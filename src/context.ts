import { EventEmitter } from 'node:events'
import { APPLICATION } from './applications/application-record.ts'
import { ApplicationRegistry } from './applications/application-registry.ts'
import { DESCRIBED_ASSERTIONS } from './clients/authentication/own-assertion.ts'
import { SecretUses } from './clients/authentication/secret-uses.ts'
import { ClientRegistry } from './clients/client-registry.ts'
import { documentGetter, MetadataDocuments, takesDocuments } from './clients/documents/metadata-documents.ts'
import { ClientKeys, fetchClientKeys, type KeyFetching } from './clients/keys/client-keys.ts'
import { EncryptionKeys } from './clients/keys/encryption-keys.ts'
import { CLIENT } from './clients/record/client-kind.ts'
import type { Client } from './clients/record/client-record.ts'
import type { Settings } from './config/settings.ts'
import type { ConnectionSteps } from './core/connection-steps.ts'
import { type ReportEvent, STRANGERS, WARNINGS, WARNINGS_OF_STRANGERS } from './core/events.ts'
import { LastOutcomes } from './core/last-outcomes.ts'
import type { Log } from './core/log.ts'
import type { OnRefusal, RefusedRequest } from './core/refusal.ts'
import type { Tracing } from './core/spans.ts'
import { DETAIL_TYPE } from './details/detail-type.ts'
import { DetailTypes } from './details/detail-types.ts'
import { ProofNonces } from './dpop/nonces.ts'
import { recentProof } from './factors/confirmation.ts'
import { ConsentRegistry, consentLists } from './interaction/consent.ts'
import type { ConsentSite } from './interaction/consent-site.ts'
import type { Flow } from './interaction/flow.ts'
import type { AccountSource } from './interaction/own-accounts.ts'
import { password } from './interaction/password-method.ts'
import type { PendingKind } from './interaction/pending-record.ts'
import type { RecentProof } from './interaction/recent-proof.ts'
import type { SignInMethods } from './interaction/sign-in-method.ts'
import type { BarContext } from './interaction/waiting-bar.ts'
import { ISSUER } from './issuers/issuer-kind.ts'
import { IssuerRegistry } from './issuers/issuer-registry.ts'
import { KeySets } from './issuers/key-sets.ts'
import type { NewKeyPair } from './keys/generate.ts'
import { fetchKeySet } from './keys/published-keys.ts'
import { KeyRing } from './keys/ring.ts'
import { Sealer } from './keys/sealer.ts'
import { FailureLimit } from './limits/failure-limit.ts'
import { MinuteBudget } from './limits/minute-budget.ts'
import { SharedBudget } from './limits/shared-budget.ts'
import type { Mailing } from './mail/mailing.ts'
import type { GetDocument } from './outbound/public-get.ts'
import { Languages } from './pages/languages.ts'
import { RESOURCE } from './resources/resource-record.ts'
import { ResourceRegistry } from './resources/resource-registry.ts'
import type { DoctorCheck } from './service/check.ts'
import { newCounts, type ServiceCounts } from './service/counts.ts'
import { watchCounters } from './service/full-counters.ts'
import { INDEX_TIMING, IndexKeeper, type IndexTiming } from './service/index-keeper.ts'
import { type Reported, reporter } from './service/reporter.ts'
import { RunningServer } from './service/running-server.ts'
import type { ConsoleSection } from './service/section.ts'
import type { NewSession } from './sessions/session.ts'
import { sessionLists } from './sessions/session-lists.ts'
import { type Index, listOf } from './storage/indexes.ts'
import { MemoryStorage } from './storage/memory/storage.ts'
import type { KindName } from './storage/records.ts'
import type { Storage } from './storage/storage.ts'
import { grantLists } from './tokens/grant-lists.ts'
import type { StatusBits } from './tokens/status-bits.ts'
import { AccountRegistry } from './users/account-registry.ts'
import { Passwords } from './users/passwords.ts'
import { userIndex } from './users/user-index.ts'
import { USER } from './users/user-kind.ts'

/**
 * What rooms are loaded with: everything that the protocol works with, but for what rooms add. Built once when the
 * service starts.
 */
export interface Ground {
  readonly settings: Settings
  /** The languages of pages and mails. */
  readonly languages: Languages
  readonly storage: Storage
  readonly clients: ClientRegistry
  readonly accounts: AccountRegistry
  readonly resources: ResourceRegistry
  readonly detail_types: DetailTypes
  readonly consents: ConsentRegistry
  readonly failures: FailureLimit
  readonly secret_uses: SecretUses
  readonly issuers: IssuerRegistry
  readonly applications: ApplicationRegistry
  readonly key_sets: KeySets
  readonly client_keys: ClientKeys
  readonly encryption_keys: EncryptionKeys
  readonly described_assertions: MinuteBudget
  /** How many warnings of refusals are logged. */
  readonly warnings: SharedBudget
  readonly passwords: Passwords
  readonly keys: KeyRing
  readonly sealer: Sealer
  readonly index_keeper: IndexKeeper
  readonly running_server: RunningServer
  readonly proof_nonces: ProofNonces
  /** Asks for a sign-in before a grant gives rights to change others. */
  readonly recent_proof: RecentProof
  /** Emits when a logout was queued in this process, so that its delivery starts at once. */
  readonly logouts: EventEmitter<{ queued: [] }>
  /** AuditEntries of each session that starts. */
  readonly sessions: EventEmitter<{ started: [NewSession] }>
  /** Reports that something is to be ended in the background. */
  readonly endings: EventEmitter<{ queued: [] }>
  readonly log: Log
  /** Reports events that no request caused; plugins/request-context.ts reports those of a request. */
  readonly report: ReportEvent
  readonly counts: ServiceCounts
  /** Tells of each event, for what comes of it, such as a notice to its user. */
  readonly reported: Reported
  /**
   * The id of the request, which explains its refusal; plugins/request-context.ts sets it, and what no request caused
   * has none.
   */
  readonly request_id: string
  /** Tells of the refusal of a request; plugins/request-context.ts does, and what no request caused is not refused. */
  readonly refused: OnRefusal
  /** What last came of asking third parties. */
  readonly outcomes: LastOutcomes
  /** Tells of each refused request, for what explains it. */
  readonly refusals: EventEmitter<{ refused: [RefusedRequest] }>
  /** Tells of what clients do until they are connected, for what explains it. */
  readonly steps: ConnectionSteps
  /** Makes spans of requests; undefined: there is no SDK of OpenTelemetry. */
  readonly telemetry: Tracing | undefined
  /** Aborted when the process is told to stop. */
  readonly drain: AbortSignal | undefined
  /** Whether the settings come from environment variables. */
  readonly reads_environment: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /**
   * When the request began, in milliseconds since 1970, before anything was judged: what begins by it began then, so that
   * an end meanwhile ends it. plugins/request-context.ts sets it; what no request caused begins just now.
   */
  readonly began: () => number
}

/** What the protocol has of rooms. */
interface OfRooms extends BarContext {
  /** The ways to sign in. */
  readonly methods: SignInMethods
  /** The accounts of an application, if it has its own. */
  readonly account_source: AccountSource | undefined
  /** What people continue on the pages besides requests of clients and devices. */
  readonly flows: RoomFlows
  /** The page of an application at which people consent; undefined: that of redmint. */
  readonly consent_site: ConsentSite | undefined
  /** What sends mail; undefined: nothing does. */
  readonly mail: Mailing | undefined
  /** Gives JWTs their bits in status lists; undefined: there are none. */
  readonly status_bits: StatusBits | undefined
  /** What `doctor` looks at besides, at the server. */
  readonly checks: readonly DoctorCheck[]
  /** What the console has besides. */
  readonly sections: readonly ConsoleSection[]
}

/** Everything that the protocol works with. It is complete when it is made, and frozen. */
export interface Context extends Ground, OfRooms {
  /** Returns a copy with what a request has of its own. */
  forRequest(own: Pick<Ground, 'began' | 'log' | 'report' | 'request_id' | 'refused'>): Context
}

type RoomFlows = Readonly<Partial<Record<PendingKind, (context: Context) => Flow<never>>>>

/** What a room adds to the context. */
export interface AddedParts extends Partial<Omit<OfRooms, 'methods' | 'consent_site'>> {
  /** Adds ways to sign in to those that there are, or takes their place. */
  methods?(given: SignInMethods): SignInMethods
  /** Wraps ways to sign in, after all rooms added theirs. */
  wraps?(all: SignInMethods): SignInMethods
  /** Makes the page of an application at which people consent. */
  consent?(context: Omit<Context, 'consent_site' | 'forRequest'>): ConsentSite
}

/** What a service is made of. */
export interface ContextOptions {
  settings: Settings
  /** Holds all records; memory if it is left out. The caller that passes a storage closes it. */
  storage?: Storage
  /** Aborted when the process is told to stop: it still serves, but is not ready any more. */
  drain?: AbortSignal
  /**
   * Whether the settings come from environment variables, as in the process of redmint: operators see where. Default:
   * false.
   */
  reads_environment?: boolean
}

/** The parts of the context that tests replace. */
export interface ReplaceableParts {
  /** Makes the key pairs of signing keys. */
  make_key_pair?: NewKeyPair
  /** Fetches the metadata documents of clients. */
  get_document?: GetDocument
  /** Fetches the key sets of trusted issuers. */
  fetch_key_set?: GetDocument
  /** Fetches the key sets of clients. */
  fetch_client_keys?: KeyFetching
  /** When the indexes of records are repaired. */
  index_timing?: IndexTiming
  /** Milliseconds since 1970. */
  now?: () => number
}

/** What is loaded before the context is built. */
interface LoadedParts {
  /** The clients that are part of this server. */
  own_clients?: readonly Client[]
  /** Makes spans of requests. */
  telemetry?: Tracing | undefined
  /** Adds spans to what storage does. */
  trace_storage?: ((storage: Storage) => Storage) | undefined
  /** Default: English alone. */
  languages?: Languages
  /** The listed kinds of rooms. */
  listed?: readonly KindName[]
}

/** Builds all of the context but what rooms add. Nothing runs before startContext. */
export function createGround(options: ContextOptions & ReplaceableParts & LoadedParts, log: Log): Ground {
  const {
    settings,
    storage: given_storage = new MemoryStorage(),
    drain,
    reads_environment = false,
    telemetry,
    trace_storage = (given) => given,
    own_clients: own = [],
    make_key_pair: make,
    get_document: get = documentGetter(settings.issuer),
    fetch_key_set,
    fetch_client_keys,
    index_timing: timing = INDEX_TIMING,
    languages = new Languages(),
    listed = [],
    now = Date.now,
  } = options
  const storage = trace_storage(given_storage)
  const key_fetching = fetch_client_keys ?? fetchClientKeys(settings)
  const counts = newCounts()
  const reported: Reported = new EventEmitter()
  const report = reporter({ counts, reported }, log)
  watchCounters(storage, counts, report, now)
  const sealer = new Sealer({ store: storage.sealing_keys, settings, log, now })
  const outcomes = new LastOutcomes()
  const steps: ConnectionSteps = new EventEmitter()
  const accounts = new AccountRegistry({ storage, log, settings, now })
  return {
    settings,
    languages,
    storage,
    clients: new ClientRegistry({
      storage,
      log,
      settings,
      now,
      own,
      ...(takesDocuments(settings) && {
        documents: new MetadataDocuments({ settings, get, counts, steps, now }),
      }),
    }),
    accounts,
    resources: new ResourceRegistry({ storage, log, settings }),
    detail_types: new DetailTypes({ storage, log }),
    consents: new ConsentRegistry(storage, settings, now),
    failures: new FailureLimit(settings.client_auth_failures, settings.client_auth_window, now, storage),
    secret_uses: new SecretUses({ storage, log, report, now }),
    issuers: new IssuerRegistry({ storage, log }),
    applications: new ApplicationRegistry({ storage, log }),
    key_sets: new KeySets(fetch_key_set ?? fetchKeySet(settings.issuer_private_hosts), now),
    client_keys: new ClientKeys(key_fetching, now),
    encryption_keys: new EncryptionKeys(key_fetching, now),
    described_assertions: new MinuteBudget(DESCRIBED_ASSERTIONS, now),
    warnings: new SharedBudget(WARNINGS, { [STRANGERS]: WARNINGS_OF_STRANGERS }, now),
    passwords: new Passwords({ settings }),
    keys: new KeyRing({
      store: storage.signing_keys,
      records: storage.records,
      settings,
      log,
      report,
      now,
      ...(make && { make }),
    }),
    sealer,
    index_keeper: new IndexKeeper({
      ...{ storage, log, now, timing },
      indexes: [...indexesOf(storage, settings, now), ...listed.map((kind) => listOf(storage, kind))],
    }),
    running_server: new RunningServer({ storage, settings, log, now }),
    proof_nonces: new ProofNonces({ sealer, now }),
    recent_proof: recentProof({ storage, accounts, now }),
    logouts: new EventEmitter(),
    endings: new EventEmitter(),
    sessions: new EventEmitter(),
    log,
    report,
    counts,
    reported,
    request_id: '',
    refused() {},
    outcomes,
    refusals: new EventEmitter(),
    steps,
    telemetry,
    drain,
    reads_environment,
    now,
    began: now,
  }
}

/** Builds the context with what rooms add, in their order. */
export function completeContext(ground: Ground, added: readonly AddedParts[] = []): Context {
  const first: SignInMethods = [password]
  const methods = added.reduce((given, room) => room.methods?.(given) ?? given, first)
  const without_site = {
    ...ground,
    methods: added.reduce((all, room) => room.wraps?.(all) ?? all, methods),
    account_source: added.find(({ account_source }) => account_source)?.account_source,
    flows: Object.assign({}, ...added.map(({ flows }) => flows)) as RoomFlows,
    mail: added.find(({ mail }) => mail)?.mail,
    status_bits: added.find(({ status_bits }) => status_bits)?.status_bits,
    waitsFor: added.find(({ waitsFor }) => waitsFor)?.waitsFor,
    checks: added.flatMap(({ checks = [] }) => checks),
    sections: added.flatMap(({ sections = [] }) => sections),
  }
  const consent_site = added.find(({ consent }) => consent)?.consent?.(without_site)
  // A frozen object is copied twenty times as slowly as this one.
  const members: Context = {
    ...without_site,
    consent_site,
    forRequest: (own) => Object.assign({ ...members }, own),
  }
  return Object.freeze({ ...members })
}

/** What the protocol keeps besides its records to find them by. */
function indexesOf(storage: Storage, { consent_ttl }: Settings, now: () => number): Index[] {
  const records = [CLIENT, USER, RESOURCE, DETAIL_TYPE, ISSUER, APPLICATION].map((kind) =>
    listOf(storage, kind),
  )
  return [
    ...records,
    userIndex(storage),
    sessionLists(storage),
    grantLists(storage, now),
    consentLists(storage, consent_ttl, now),
  ]
}

/**
 * Starts the key ring and the sealer, and says in storage that the server runs. Unreachable storage is logged and tried
 * again.
 * @throws StoredKeyError if the stored keys cannot be used
 */
export async function startContext(context: Context): Promise<void> {
  const { keys, sealer, running_server } = context
  await Promise.all([keys.start(), sealer.start(), running_server.start()])
  context.secret_uses.start()
  context.index_keeper.start()
}
