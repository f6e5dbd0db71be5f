import { findShortSecrets, type IsShort, isShortSecret } from '../../clients/authentication/secret-uses.ts'
import { authenticationKeyProblems } from '../../clients/keys/key-problems.ts'
import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import { isClientId, parseClient, registrationProblems } from '../../clients/record/client-record.ts'
import { grantsOf } from '../../clients/record/grant-types.ts'
import { withProfile } from '../../clients/record/profiles.ts'
import type { Settings } from '../../config/settings.ts'
import { SIGNING_ALGS } from '../../core/algs.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { shellWord } from '../../core/shell-word.ts'
import { DETAIL_TYPE } from '../../details/detail-type.ts'
import { ISSUER } from '../../issuers/issuer-kind.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { GroupSettings } from '../../users/client-access.ts'
import { demoWarning, findingsOf, type RecordFinding } from '../operation/findings.ts'
import { lintOperation } from '../operation/lint-operation.ts'
import { misfitProblem } from '../operation/misfit.ts'
import type { AdminContext } from '../operation/operation.ts'
import {
  AccessRules,
  accessWarnings,
  findRule,
  knownRule,
  missingRule,
  noteRule,
  ruleInRun,
} from './lint-access.ts'
import { assertionWarnings } from './lint-assertions.ts'
import { exchangeWarnings, unusedExchange } from './lint-exchange.ts'
import { entries, fieldWarnings } from './lint-fields.ts'
import { encryptionWarnings, keyWarnings, requestWarnings } from './lint-keys.ts'
import { mtlsWarnings } from './lint-mtls.ts'
import { CLIENTS, readClient } from './record-type.ts'

const ALG_FIELDS = Object.keys(CLIENT_FIELDS).filter((name) => name.endsWith('_signed_response_alg'))

/** The settings that some records depend on. */
export type LintSettings = Pick<Settings, 'client_certificate_secret' | 'pairwise_salt'> &
  Partial<Pick<Settings, 'signing_algs'>>

/**
 * Returns the errors and warnings for one record.
 * @param hash undefined: the key is not a hash
 * @param isShort what servers saw of secrets that clients used
 */
export function lintClient(
  client_id: string,
  hash: Hash | undefined,
  settings: LintSettings,
  isShort: IsShort = () => false,
  now = Date.now(),
): RecordFinding<'client_id'>[] {
  if (hash === undefined) return findingsOf({ client_id }, [misfitProblem('client_id')], [])
  const parsed = parseClient(client_id, hash)
  const badId = { field: 'client_id', problem: 'is not 1 to 255 printable ASCII characters' }
  const problems = [
    ...(parsed.ok ? [] : parsed.problems),
    ...registrationProblems(hash),
    ...(isClientId(client_id) ? [] : [badId]),
  ]
  return findingsOf({ client_id }, problems, [
    ...(parsed.ok && parsed.record.demo ? [demoWarning('client', client_id)] : []),
    ...fieldWarnings(hash),
    ...pairwiseWarnings(hash, settings),
    ...algWarnings(withProfile(hash), settings),
    ...requestWarnings(withProfile(hash)),
    ...mtlsWarnings(hash, settings),
    ...authenticationKeyProblems(hash),
    ...encryptionWarnings(hash),
    ...oldSecretWarnings(client_id, hash, now),
    ...shortSecretWarnings(client_id, hash, isShort),
    ...(parsed.ok ? assertionWarnings(parsed.record) : []),
    ...(parsed.ok ? keyWarnings(parsed.record) : []),
    ...accessWarnings(hash),
    ...selfRegisteredWarnings(hash),
    ...exchangeWarnings(client_id, hash),
    ...previewWarnings(hash),
  ])
}

function pairwiseWarnings(hash: Hash, { pairwise_salt }: LintSettings): FieldProblem[] {
  if (hash.subject_type !== 'pairwise') {
    if (!hash.sector_identifier) return []
    return [{ field: 'sector_identifier', problem: 'is not used, because subject_type is not pairwise' }]
  }
  if (pairwise_salt !== undefined) return []
  return [
    { field: 'subject_type', problem: 'is pairwise, which needs PAIRWISE_SALT, but it is not set here' },
  ]
}

function oldSecretWarnings(client_id: string, hash: Hash, now: number): FieldProblem[] {
  const { old_secret_hash, old_secret_ends_at = '' } = hash
  if (!old_secret_hash || !(Date.parse(old_secret_ends_at) <= now)) return []
  const problem = `is not accepted since ${old_secret_ends_at}: remove it with redmint client end-old-secret ${shellWord(client_id)}`
  return [{ field: 'old_secret_hash', problem }]
}

// RFC 6749 §10.10.
function shortSecretWarnings(client_id: string, hash: Hash, isShort: IsShort): FieldProblem[] {
  const short = ['client_secret_hash', 'old_secret_hash'].filter((field) =>
    isShort(client_id, hash[field] ?? ''),
  )
  const problem = `is of a secret with fewer than 16 characters, as servers saw: it can be guessed, so replace it with redmint client rotate-secret ${shellWord(client_id)}`
  return short.map((field) => ({ field, problem }))
}

// Rights that a client cannot get when it registers itself: an operator gave them to a client of unknown origin.
function selfRegisteredWarnings(hash: Hash): FieldProblem[] {
  if (!hash.registered_at) {
    if (!hash.lapses_at || hash.preview_of) return []
    return [
      { field: 'lapses_at', problem: 'ends the client, although it did not register itself: remove it' },
    ]
  }
  const given = [
    ...['first_party', 'can_introspect'].filter((field) => hash[field] === 'true'),
    ...(hash.exchange_mode ? ['exchange_mode'] : []),
    ...(grantsOf('client', entries(hash, 'grant_types')).length > 0 ? ['grant_types'] : []),
  ]
  return given.map((field) => ({
    field,
    problem: `is ${hash[field]}, but the client registered itself, so nobody knows who it is: register a separate client for this use`,
  }))
}

function previewWarnings({ preview_hosts, preview_makers }: Hash): FieldProblem[] {
  if (preview_hosts || !preview_makers) return []
  return [{ field: 'preview_makers', problem: 'is not used, because there are no preview_hosts' }]
}

function algWarnings(hash: Hash, { signing_algs = SIGNING_ALGS }: LintSettings): FieldProblem[] {
  return ALG_FIELDS.flatMap((field) => {
    const alg = SIGNING_ALGS.find((known) => known === hash[field])
    if (alg === undefined || signing_algs.includes(alg)) return []
    return [{ field, problem: `is ${alg}, which SIGNING_ALGS here lacks: the client gets server_error` }]
  })
}

/** What a record is compared with. */
interface Others {
  /** What servers saw of secrets that clients used; absent: it is looked up. */
  readonly isShort?: IsShort
  /** Whether another client has a rule about its users. */
  readonly haveRule: () => Promise<boolean>
  /** Is told of each record that is examined; absent: nobody asks again. */
  readonly saw?: (client_id: string, hash: Hash) => Promise<void>
}

/** Returns what a record is compared with: what is found of the rules of others is kept. */
export const othersOf = (context: Pick<AdminContext, 'storage' | 'caller'>, client_id?: string): Others =>
  context.caller.kind === 'command'
    ? {
        haveRule: () => ruleInRun(context, client_id),
        saw: (id, hash) => noteRule(context, id, hash),
      }
    : { haveRule: () => knownRule(context.storage, client_id) }

/**
 * Returns the errors and warnings for a stored record, with what only other records tell.
 * @param now milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function lintStored(
  store: RecordStore,
  client_id: string,
  stored: Hash,
  settings: LintSettings,
  now: number,
  { isShort, haveRule, saw }: Others,
): Promise<RecordFinding<'client_id'>[]> {
  const known = isShort ?? (await shortSecretsOf(store, client_id, stored))
  await saw?.(client_id, stored)
  return [
    ...lintClient(client_id, stored, settings, known, now),
    ...(await issuerWarnings(store, client_id, stored)),
    ...(await detailTypeWarnings(store, client_id, stored)),
    ...findingsOf({ client_id }, [], await missingRule(stored, haveRule)),
    ...findingsOf({ client_id }, [], await unusedExchange(store, client_id, stored)),
  ]
}

/**
 * Checks clients: each by itself and beside the others, and at the end what only all users tell. Servers, the command on the
 * host and `doctor` find the same by it.
 */
export class ClientsLint {
  readonly #store: RecordStore
  readonly #settings: LintSettings & GroupSettings
  readonly #now: number
  readonly #others: Others
  readonly #rules = new AccessRules()

  /**
   * @param now milliseconds since 1970
   * @param others absent: all that is to know of others is in storage
   */
  constructor(
    store: RecordStore,
    settings: LintSettings & GroupSettings,
    now: number,
    others: Partial<Others> = {},
  ) {
    this.#store = store
    this.#settings = settings
    this.#now = now
    let has_rule: Promise<boolean> | undefined
    const { haveRule = () => findRule(store) } = others
    const once = () => {
      has_rule ??= haveRule()
      return has_rule
    }
    this.#others = { ...others, haveRule: once }
  }

  /** Returns the findings about one. @param hash undefined: the key is not a hash @throws StorageUnavailable */
  async check(client_id: string, hash: Hash | undefined): Promise<RecordFinding<'client_id'>[]> {
    if (hash === undefined) return lintClient(client_id, hash, this.#settings)
    this.#rules.add(client_id, hash)
    return await lintStored(this.#store, client_id, hash, this.#settings, this.#now, this.#others)
  }

  /** Returns the findings that all users tell. @throws StorageUnavailable */
  async rest(): Promise<RecordFinding<'client_id'>[]> {
    const found = await this.#rules.warnings(this.#store, this.#settings)
    return found.flatMap(({ client_id, warning }) => findingsOf({ client_id }, [], [warning]))
  }
}

/** Finds errors and likely mistakes in clients. What only all users tell is found on the host alone. */
export const lintClients = lintOperation(CLIENTS, {
  many: 'clients',
  scope: 'redmint:clients:read',
  read: async (store, id) => ({ id, hash: await readClient(store, id) }),
  async lint(context, clients, extent) {
    const { storage, settings, caller, now } = context
    const others = othersOf(context)
    const seen = extent === 'all' ? { ...others, isShort: await findShortSecrets(storage) } : others
    const checked = new ClientsLint(storage, settings, now(), seen)
    const found: RecordFinding<'client_id'>[] = []
    for (const [id, hash] of clients) found.push(...(await checked.check(id, hash)))
    return caller.kind === 'command' ? [...found, ...(await checked.rest())] : found
  },
})

async function shortSecretsOf(store: RecordStore, client_id: string, stored: Hash): Promise<IsShort> {
  const short = new Set<string>()
  for (const digest of [stored.client_secret_hash, stored.old_secret_hash]) {
    if (digest && (await isShortSecret(store, client_id, digest))) short.add(digest)
  }
  return (_, digest) => short.has(digest)
}

/** Returns a warning if the issuer that a client authenticates by is not trusted. @throws StorageUnavailable */
async function issuerWarnings(
  { records }: RecordStore,
  client_id: string,
  { assertion_issuer }: Hash = {},
): Promise<RecordFinding<'client_id'>[]> {
  if (!assertion_issuer || (await records.read(ISSUER, assertion_issuer)) !== undefined) return []
  const problem = `is not trusted, so nobody can authenticate by it: redmint issuer add ${shellWord(assertion_issuer)}`
  return findingsOf({ client_id }, [], [{ field: 'assertion_issuer', problem }])
}

/** Returns warnings about types of details that a client names, and that there are none of. @throws StorageUnavailable */
async function detailTypeWarnings(
  { records }: RecordStore,
  client_id: string,
  { authorization_details_types = '' }: Hash = {},
): Promise<RecordFinding<'client_id'>[]> {
  const warnings: FieldProblem[] = []
  for (const type of authorization_details_types.split(' ').filter((name) => name !== ''))
    if ((await records.read(DETAIL_TYPE, type)) === undefined) {
      const problem = `: there is no type ${shellWord(type)}: redmint detail-type add ${shellWord(type)}`
      warnings.push({ field: 'authorization_details_types', problem })
    }
  return findingsOf({ client_id }, [], warnings)
}
