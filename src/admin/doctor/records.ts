import { APPLICATION } from '../../applications/application-record.ts'
import { findShortSecrets } from '../../clients/authentication/secret-uses.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { hasOnlyPasskeys } from '../../config/passkey-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { count } from '../../core/count.ts'
import { DETAIL_TYPE } from '../../details/detail-type.ts'
import { FACTORS, passkeyField } from '../../factors/factors-record.ts'
import { ISSUER } from '../../issuers/issuer-kind.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { everyRecord } from '../../storage/indexes.ts'
import type { RecordStore, Storage } from '../../storage/storage.ts'
import { SIGN_IN_NAME } from '../../users/sign-in-names.ts'
import { USER } from '../../users/user-kind.ts'
import { lintApplication } from '../applications/lint.ts'
import { ClientsLint } from '../clients/lint.ts'
import { lintDetailType } from '../details/detail-types.ts'
import { lintIssuer } from '../issuers/lint.ts'
import { lintProvider } from '../providers/lint.ts'
import { lintResource } from '../resources/lint.ts'
import { lintActingClients } from '../resources/lint-acting.ts'
import { lintUser } from '../users/lint.ts'
import { LintRun } from './lint-run.ts'
import { NameSums } from './name-sums.ts'
import { NamedIds } from './named-ids.ts'
import { SumSet, sumOf } from './sum-set.ts'

/** The checks of records, in the order of their findings. */
export const RECORD_CHECKS = [
  'clients',
  'registration',
  'users',
  'sign-in names',
  'passkeys',
  'resources',
  'types of details',
  'trusted issuers',
  'other servers',
  'providers',
] as const

/**
 * Returns the findings about all records. Those of all kinds are found in one walk through all keys, of which there may be
 * very many; what tells about them is read before: short secrets that servers saw, and the index of sign-in names.
 * @param now milliseconds since 1970
 */
export async function recordFindings(storage: Storage, settings: Settings, now: number): Promise<Finding[]> {
  const { records } = storage
  const lint = new ClientsLint(storage, settings, now, { isShort: await findShortSecrets(storage) })
  const names = new NameSums()
  for await (const { id, hash } of records.scan(SIGN_IN_NAME)) names.addIndexed(id, hash)
  let themselves = 0
  const clients = new LintRun(storage, CLIENT, (id, hash) => {
    if (hash?.registered_at) themselves += 1
    return lint.check(id, hash)
  })
  const users = new LintRun(storage, USER, (id, hash) => {
    if (hash !== undefined) names.addUser(id, hash)
    return lintUser(id, hash)
  })
  const resources = new LintRun(storage, RESOURCE, async (id, hash) => [
    ...lintResource(id, hash, settings),
    ...(await lintActingClients(storage, id, hash)),
  ])
  const details = new LintRun(storage, DETAIL_TYPE, lintDetailType)
  const issuers = new LintRun(storage, ISSUER, lintIssuer)
  const applications = new LintRun(storage, APPLICATION, (id, hash) => lintApplication(id, hash, settings))
  const providers = new LintRun(storage, PROVIDER, lintProvider)
  await walkAll(storage, [clients, users, resources, details, issuers, applications, providers])
  for (const { client_id, level } of await lint.rest()) clients.add(client_id, level)
  if (names.hasLeftOver)
    for await (const { id, hash } of records.scan(SIGN_IN_NAME)) names.nameLeftOver(id, hash)
  if (names.hasShared) for await (const { id, hash } of records.scan(USER)) names.nameShared(id, hash)
  return [
    await clients.finding(),
    registrationFinding(settings, themselves),
    await users.finding(),
    nameFinding(names),
    ...(await passkeyFindings(storage, settings)),
    await resources.finding(),
    await details.finding('types of details'),
    // "issuer" is the check of this server.
    await issuers.finding('trusted issuers'),
    // What people call an application is a client.
    await applications.finding('other servers'),
    await providers.finding(),
  ]
}

async function walkAll({ records }: RecordStore, runs: readonly LintRun[]): Promise<void> {
  const by_kind = new Map(runs.map((run) => [run.kind.name, run]))
  for await (const found of records.walk(runs.map(({ kind }) => kind)))
    for (const { kind, id, hash } of found) await by_kind.get(kind.name)?.look(id, hash)
}

/** @param themselves how many clients registered themselves */
function registrationFinding(
  { client_registration }: Pick<Settings, 'client_registration'>,
  themselves: number,
): Finding {
  const { ok, warning } = findingsOf('registration')
  const clients = `${count(themselves, 'client')} registered themselves`
  if (client_registration !== 'off' || themselves === 0) {
    return ok(themselves === 0 ? client_registration : `${client_registration}: ${clients}`)
  }
  return warning(
    `off, but ${clients} and can still be used`,
    'See redmint client list: they lapse by disuse, or redmint client remove removes one.',
  )
}

/** Returns the finding about people who cannot sign in where passkeys are all that they sign in with. */
async function passkeyFindings({ records }: RecordStore, settings: Settings): Promise<Finding[]> {
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
      `without one, and nobody signs in otherwise: ${lacking.listedOf(total)}`,
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
