import { findShortSecrets } from '../../clients/authentication/secret-uses.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { hasOnlyPasskeys } from '../../config/passkey-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { count } from '../../core/count.ts'
import type { Hash } from '../../core/record-hash.ts'
import { FACTORS, passkeyField } from '../../factors/factors-record.ts'
import { ISSUER } from '../../issuers/issuer-kind.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../keys/key-record.ts'
import { readRestoreMark } from '../../keys/restore-mark.ts'
import { algsWithoutKey } from '../../keys/rotate.ts'
import { parseSealingKeys } from '../../keys/sealing-keys.ts'
import { StoredKeyError, unwrapPrivateKey } from '../../keys/wrap.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { everyRecord } from '../../storage/indexes.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore, Storage } from '../../storage/storage.ts'
import { SIGN_IN_NAME } from '../../users/sign-in-names.ts'
import { USER } from '../../users/user-kind.ts'
import { ClientsLint } from '../clients/lint.ts'
import { lintIssuer } from '../issuers/lint.ts'
import { unlistedFindings } from '../operation/misfit.ts'
import { lintProvider } from '../providers/lint.ts'
import { lintResource } from '../resources/lint.ts'
import { lintUser } from '../users/lint.ts'
import { NameSums } from './name-sums.ts'
import { NamedIds } from './named-ids.ts'
import { SumSet, sumOf } from './sum-set.ts'

const NO_START = 'Servers do not start before this is repaired.'
const DAY = 86_400_000
/** So many records are looked for in the list of their kind at a time. */
const AT_A_TIME = 500

type Keys = Pick<Storage, 'signing_keys'>

/** Returns the findings about the signing keys. @param now milliseconds since 1970 */
export async function keyFindings(
  { signing_keys }: Keys,
  settings: Settings,
  now: number,
): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('signing keys')
  try {
    const keys = parseSigningKeys(await signing_keys.read())
    if (keys.length === 0) return [warning('there are none', 'Start a server: the first one makes them.')]
    for (const key of keys) await unwrapPrivateKey(key, settings.key_encryption_key)
    const lacking = algsWithoutKey(keys)
    if (lacking.length > 0)
      return [
        problem(`there is none for ${lacking.join(', ')}`, 'Look at the log of a server: it makes them.'),
      ]
    const current = keys.flatMap(({ current_since, status }) =>
      status === 'current' && current_since !== undefined ? [Date.parse(current_since)] : [],
    )
    const age = Math.floor((now - Math.min(...current)) / DAY)
    const found = `${count(keys.length, 'key')}, the oldest signs for ${count(age, 'day')}`
    const is_late = age > settings.key_rotation_days
    const ages = is_late
      ? warning(
          `${found}, and KEY_ROTATION_DAYS is ${settings.key_rotation_days}`,
          'Check whether a server runs; redmint keys rotate rotates them now.',
        )
      : ok(found)
    return [ages, wrapping(keys, settings.key_encryption_key !== undefined)]
  } catch (error) {
    if (!(error instanceof StoredKeyError)) throw error
    return [problem(error.message, NO_START)]
  }
}

/** Returns the problems of what else servers read when they start: none if they can use it. */
export async function startFindings(storage: Storage, settings: Settings): Promise<Finding[]> {
  const readSealingKeys = async () => {
    for (const key of parseSealingKeys(await storage.sealing_keys.read()))
      await unwrapPrivateKey(key, settings.key_encryption_key)
  }
  return [
    ...(await unusable('sealing keys', readSealingKeys)),
    ...(await unusable('restore mark', () => readRestoreMark(storage))),
  ]
}

async function unusable(check: string, read: () => Promise<unknown>): Promise<Finding[]> {
  try {
    await read()
    return []
  } catch (error) {
    if (!(error instanceof StoredKeyError)) throw error
    return [findingsOf(check).problem(error.message, NO_START)]
  }
}

function wrapping(keys: readonly SigningKeyRecord[], wraps: boolean): Finding {
  const { ok, warning } = findingsOf('keys at rest')
  const plain = keys.filter(({ private_jwk }) => private_jwk !== undefined).length
  if (plain === 0) return ok('every private key is encrypted')
  const found = `${plain} of ${count(keys.length, 'private key')} unencrypted: whoever reads Redis or a backup can sign`
  return wraps
    ? warning(found, 'They go with the next two rotations (redmint keys rotate).')
    : warning(found, 'Set KEY_ENCRYPTION_KEY in all servers (openssl rand -base64 32), then rotate twice.')
}

/** Returns the finding about TOKENS_AT_REST. */
export function tokenFinding({ tokens_at_rest }: Pick<Storage, 'tokens_at_rest'>): Finding {
  const { ok, warning } = findingsOf('tokens at rest')
  if (tokens_at_rest === 'hashed') return ok('hashed')
  return warning(
    'unhashed: whoever reads Redis or a backup can use them',
    'Set TOKENS_AT_REST=hashed in all servers; existing codes and tokens then become invalid.',
  )
}

/** Returns the finding about the records of clients. */
export async function clientFinding(storage: Storage, settings: Settings, now: number): Promise<Finding> {
  const clients = new ClientsLint(storage, settings, now, { isShort: await findShortSecrets(storage) })
  return await lintFinding(storage, CLIENT, (id, hash) => clients.check(id, hash), {
    async rest() {
      return (await clients.rest()).map(({ client_id: id, level }) => ({ id, level }))
    },
  })
}

/** Returns the finding about clients that register themselves. */
export async function registrationFinding(
  { records }: RecordStore,
  { client_registration }: Settings,
): Promise<Finding> {
  const { ok, warning } = findingsOf('registration')
  let themselves = 0
  for await (const { hash } of everyRecord({ records }, CLIENT)) if (hash.registered_at) themselves += 1
  const clients = `${count(themselves, 'client')} registered themselves`
  if (client_registration !== 'off' || themselves === 0) {
    return ok(themselves === 0 ? client_registration : `${client_registration}: ${clients}`)
  }
  return warning(
    `off, but ${clients} and can still be used`,
    'See redmint client list: they lapse by disuse, or redmint client remove removes one.',
  )
}

/** Returns the finding about the records of resources. */
export function resourceFinding(storage: Storage, settings: Settings): Promise<Finding> {
  return lintFinding(storage, RESOURCE, (id, hash) => lintResource(id, hash, settings))
}

/** Returns the finding about the records of trusted issuers. */
export function trustedIssuerFinding(storage: Storage): Promise<Finding> {
  // "issuer" is the check of this server.
  return lintFinding(storage, ISSUER, lintIssuer, { check: 'trusted issuers' })
}

/** Returns the finding about the records of providers. */
export function providerFinding(storage: Storage): Promise<Finding> {
  return lintFinding(storage, PROVIDER, lintProvider)
}

interface Level {
  readonly level: 'error' | 'warning'
}

interface More {
  readonly check?: string
  /** Returns what only all records together tell. */
  rest?(): Promise<readonly (Level & { readonly id: string })[]>
}

async function lintFinding(
  { records }: RecordStore,
  kind: KindName,
  lint: (id: string, hash: Hash | undefined) => readonly Level[] | Promise<readonly Level[]>,
  { check = `${kind.name}s`, rest }: More = {},
): Promise<Finding> {
  const { ok, warning, problem } = findingsOf(check)
  const levels = { error: new NamedIds(), warning: new NamedIds() }
  let total = 0
  // Only what something is wrong with is kept: there may be very many records.
  let some: string[] = []
  const findUnlisted = async () => {
    for (const { id } of await unlistedFindings({ records }, kind, 'id', some)) levels.warning.add(id)
    some = []
  }
  const misfits: string[] = []
  const judge = async (id: string, hash?: Hash) => {
    total += 1
    some.push(id)
    for (const { level } of await lint(id, hash)) levels[level].add(id)
    if (some.length >= AT_A_TIME) await findUnlisted()
  }
  for await (const { id, hash } of records.list(kind, (id) => misfits.push(id))) await judge(id, hash)
  for (const id of misfits) await judge(id)
  await findUnlisted()
  for (const { id, level } of (await rest?.()) ?? []) levels[level].add(id)
  const advice = `Run redmint ${kind.name} lint.`
  if (levels.error.size > 0) return problem(`servers refuse ${named(levels.error, total)}`, advice)
  if (levels.warning.size > 0) return warning(`probably wrong: ${named(levels.warning, total)}`, advice)
  return ok(`${count(total, kind.name)}, none with a finding`)
}

/** Returns the findings about the records of users, and of the index of their sign-in names. */
export async function userFindings({ records }: RecordStore): Promise<Finding[]> {
  const names = new NameSums()
  for await (const { id, hash } of records.scan(SIGN_IN_NAME)) names.addIndexed(id, hash)
  const users = await lintFinding({ records }, USER, (id, hash) => {
    if (hash !== undefined) names.addUser(id, hash)
    return lintUser(id, hash)
  })
  if (names.hasLeftOver)
    for await (const { id, hash } of records.scan(SIGN_IN_NAME)) names.nameLeftOver(id, hash)
  if (names.hasShared) for await (const { id, hash } of records.scan(USER)) names.nameShared(id, hash)
  return [users, nameFinding(names)]
}

/** Returns the finding about people who cannot sign in where passkeys are all that they sign in with. */
export async function passkeyFindings({ records }: RecordStore, settings: Settings): Promise<Finding[]> {
  if (!hasOnlyPasskeys(settings)) return []
  const { ok, warning } = findingsOf('passkeys')
  // The users first: one who makes a passkey meanwhile does not lack one.
  const without = new SumSet()
  for await (const id of usersWhoMaySignIn({ records })) without.add(sumOf(id))
  const total = without.size
  for await (const { id, hash } of records.scan(FACTORS))
    if (Object.keys(hash).some((field) => field.startsWith(passkeyField('')))) without.delete(sumOf(id))
  if (without.size === 0) return [ok(`each of ${count(total, 'user')} has one`)]
  const lacking = new NamedIds()
  for await (const id of usersWhoMaySignIn({ records })) if (without.has(sumOf(id))) lacking.add(id)
  return [
    warning(
      `without one, and nobody signs in otherwise: ${named(lacking, total)}`,
      'redmint user reset-link makes a link with which a user makes one.',
    ),
  ]
}

async function* usersWhoMaySignIn(store: RecordStore): AsyncGenerator<string> {
  for await (const { id, hash } of everyRecord(store, USER)) if (hash.disabled !== 'true') yield id
}

function nameFinding({ wrong: usernames }: NameSums): Finding {
  const { ok, warning } = findingsOf('sign-in names')
  if (usernames.size === 0) return ok('the index fits the users, and no two have the same name')
  return warning(
    `names of these users are missing in the index, left over in it, or shared: ${usernames.listed()}`,
    'Run redmint user lint, and redmint user reindex, which repairs the index.',
  )
}

/** "a, b, … (7 of 12)" */
function named(ids: NamedIds, total: number): string {
  return `${ids.listed()} (${ids.size} of ${total})`
}
