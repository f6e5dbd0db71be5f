import { applyChange } from '../../src/admin/apply-change.ts'
import { authenticatesOtherwise, defaultFields } from '../../src/admin/clients/defaults.ts'
import { reportClientChange } from '../../src/admin/clients/events.ts'
import { lintClient } from '../../src/admin/clients/lint.ts'
import { newSecret, OLD_SECRET_FIELDS, secretFields, secretProblem } from '../../src/admin/clients/secret.ts'
import type { PresetName } from '../../src/admin/connect/presets.ts'
import { keyProblems } from '../../src/clients/keys/key-problems.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import {
  formatClient,
  isClientId,
  parseClient,
  registrationProblems,
} from '../../src/clients/record/client-record.ts'
import { secretHash } from '../../src/clients/record/client-secret.ts'
import { hasSecretlessMethod, withProfile } from '../../src/clients/record/profiles.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import type { Change } from '../../src/storage/records.ts'
import { formatSettings, presetFields, settingsOf } from '../connect/connect.ts'
import { assertWellFormed, Refusal, refusalOfRecord, UsageError } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { describeClient, formatClientDescription, noSuchClient, readClient } from './show.ts'

/** The flags of `client add` and `client update`. */
type ClientFlags = FlagValues & { readonly public?: true }

/** The flags of `client add`. */
export type AddFlags = ClientFlags & { readonly for?: PresetName; readonly origin?: string }

/** The flags of `client update`. */
export type UpdateFlags = ClientFlags & { readonly confidential?: true }

/**
 * The command `client add`. If no `client_secret` is given, one is generated.
 * @throws Refusal if the client exists or its record would be malformed; UsageError
 */
export async function addClient(
  { storage: store, config, guesses_issuer, report, now }: CommandContext,
  client_id: string,
  flags: AddFlags,
  client_secret: string | undefined,
): Promise<Report> {
  if (!isClientId(client_id)) throw new Refusal('A client_id must have 1 to 255 printable ASCII characters.')
  if (flags.origin !== undefined && flags.for === undefined) {
    throw new UsageError(
      '--origin needs --for, which knows the path of the redirect URI: give --redirect-uri.',
    )
  }
  const given = givenFields(CLIENT_FIELDS, flags)
  const preset =
    flags.for && presetFields(flags.for, { ...flags, ...given, secret_given: client_secret !== undefined })
  const is_public = preset?.is_public ?? flags.public === true
  const needs_secret = !is_public && (client_secret !== undefined || !authenticatesOtherwise(given))
  const secret = needs_secret ? checkSecret(client_secret ?? newSecret()) : undefined
  const client = formatClient({
    client_id,
    client_name: client_id,
    is_public,
    redirect_uris: [],
    allowed_scopes: [],
    grant_types: [],
    ...preset,
    ...(secret === undefined ? {} : secretFields(secret, now)),
  })
  const set = Object.fromEntries(Object.entries(client).filter(([, value]) => value !== ''))
  const defaults = defaultFields({ ...set, ...given })
  if (defaults.grant_types === undefined) {
    throw new UsageError('A public client needs a redirect URI: give it a --redirect-uri.')
  }
  const hash = { ...client, ...given, ...defaults }
  const parsed = parseClient(client_id, hash)
  assertWellFormed(parsed)
  assertRegistrable(hash)
  const shown = client_secret === undefined ? secret : undefined
  const { issuer } = config.settings
  const connected = { issuer, client: parsed.record, client_secret: shown, origin: flags.origin }
  const settings = flags.for && settingsOf(flags.for, connected)
  if ((await store.records.create({ kind: CLIENT, id: client_id, hash: hash })) === 'exists') {
    throw new Refusal(`The client "${client_id}" exists already: use redmint client update to change it.`)
  }
  report({ event: 'client_added', client_id })
  const warnings = lintClient(client_id, hash, config.settings, undefined, now).map(describeProblem)
  if (settings !== undefined && guesses_issuer) warnings.push(guessedIssuer(issuer))
  const { text, json } = reportClient('The client is registered.', client_id, hash, shown, warnings)
  return flags.for && settings
    ? { text: `${text}\n\n${formatSettings(flags.for, settings)}`, json: { ...json, settings } }
    : { text, json }
}

/**
 * The command `client update`: changes the fields that the flags name.
 * @throws Refusal if the client does not exist or its record would be malformed; UsageError
 */
export async function updateClient(
  context: CommandContext,
  client_id: string,
  flags: UpdateFlags,
  client_secret: string | undefined,
): Promise<Report> {
  const stored = await readClient(context.storage, client_id)
  const set = givenFields(CLIENT_FIELDS, flags)
  if (flags.public ?? flags.confidential) set.is_public = String(flags.public === true)
  const cleared = clearedFields(CLIENT_FIELDS, flags)
  const has_other_method = hasSecretlessMethod(applyChange(stored, { set, unset: cleared }))
  const lacksSecret =
    !has_other_method &&
    (flags.confidential === true || hasSecretlessMethod(stored)) &&
    !stored.client_secret_hash &&
    !authenticatesOtherwise(set)
  const generated = client_secret === undefined && lacksSecret ? newSecret() : undefined
  const secret = client_secret ?? generated
  if (secret !== undefined) Object.assign(set, secretFields(checkSecret(secret), context.now))
  // A given secret stays in the record: it is malformed with a method that needs no secret, and so refused.
  const has_no_secret = flags.public === true || (has_other_method && secret === undefined)
  const ended = [
    ...(has_no_secret ? ['client_secret_hash', 'client_secret_created_at'] : []),
    ...(has_no_secret || secret !== undefined ? OLD_SECRET_FIELDS : []),
  ]
  // A client without a secret has an empty field.
  const unset = [...ended.filter((field) => stored[field]), ...cleared]
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint client update --help.',
    )
  }
  const hash = await change(context, client_id, stored, { set, unset })
  const warnings = lintClient(client_id, hash, context.config.settings, undefined, context.now).map(
    describeProblem,
  )
  return reportClient('The client is changed.', client_id, hash, generated, warnings)
}

/**
 * The command `client rotate-secret`. The old secret is accepted for `keep` more seconds.
 * @throws Refusal if the client does not exist or is public, its record is malformed, or it changes meanwhile
 */
export async function rotateSecret(
  context: Pick<CommandContext, 'storage' | 'report' | 'now'>,
  client_id: string,
  client_secret: string | undefined,
  keep: number,
): Promise<Report> {
  const { now } = context
  const stored = await readClient(context.storage, client_id)
  if (stored.is_public === 'true') throw new Refusal(`The client "${client_id}" is public: it has no secret.`)
  if (hasSecretlessMethod(stored)) {
    throw new Refusal(
      `The client "${client_id}" authenticates by ${withProfile(stored).token_endpoint_auth_method}, and not by a secret: replace its keys or its certificate, and see redmint client keys --help.`,
    )
  }
  const secret = checkSecret(client_secret ?? newSecret())
  const { client_secret_hash, client_secret_created_at } = stored
  if (secretHash(secret) === client_secret_hash) {
    throw new Refusal('The client has this secret already: give another one.')
  }
  const old_secret_ends_at = keep === 0 ? undefined : new Date(now + keep * 1000).toISOString()
  const old = old_secret_ends_at && {
    old_secret_hash: client_secret_hash,
    old_secret_created_at: client_secret_created_at,
    old_secret_ends_at,
  }
  const set: Hash = { ...secretFields(secret, now), ...present(old || {}) }
  const unset = OLD_SECRET_FIELDS.filter((field) => set[field] === undefined)
  // Of two rotations at the same time, the second would keep a secret that nobody was given.
  const expected = client_secret_hash === undefined ? {} : { client_secret_hash }
  await change(context, client_id, stored, { set, unset, expected })
  const shown = client_secret === undefined ? secret : undefined
  const sentence = old_secret_ends_at
    ? `The client has a new secret; the old secret is valid until ${old_secret_ends_at}. To end it before: redmint client end-old-secret ${shellWord(client_id)}`
    : 'The client has a new secret; the old secret is no longer valid.'
  return {
    text: [sentence, ...secretLines(shown)].join('\n'),
    json: present({ client_id, client_secret: shown, old_secret_ends_at }),
  }
}

/**
 * The command `client end-old-secret`.
 * @throws Refusal if the client does not exist
 */
export async function endOldSecret(
  { storage, report }: Pick<CommandContext, 'storage' | 'report'>,
  client_id: string,
): Promise<Report> {
  const stored = await readClient(storage, client_id)
  const ended = { set: {}, unset: OLD_SECRET_FIELDS }
  if ((await storage.records.change(CLIENT, client_id, ended)) === 'missing') throw noSuchClient(client_id)
  reportClientChange(report, client_id, stored, applyChange(stored, ended))
  return {
    text: 'The client has no old secret any more; the present one stays valid.',
    json: { client_id, old_secret: 'none' },
  }
}

async function change(
  { storage: store, report }: Pick<CommandContext, 'storage' | 'report'>,
  client_id: string,
  stored: Hash,
  wanted: Change,
): Promise<Hash> {
  const hash = applyChange(stored, wanted)
  assertWellFormed(parseClient(client_id, hash))
  assertRegistrable(hash, stored, wanted.set)
  if ((await store.records.change(CLIENT, client_id, wanted)) === 'missing') {
    if (wanted.expected === undefined) throw noSuchClient(client_id)
    throw new Refusal(
      `Another process changed the client "${client_id}" at the same time: repeat the command.`,
    )
  }
  reportClientChange(report, client_id, stored, hash)
  return hash
}

// Problems of fields that are not changed are not refused here: client lint reports them.
function assertRegistrable(hash: Hash, stored: Hash = {}, set: Hash = hash): void {
  const problems = [...registrationProblems(set), ...keyProblems(hash, stored)]
  if (problems.length > 0)
    throw refusalOfRecord('Nothing was written, because it is unsafe or a mistake:', problems)
}

function checkSecret(client_secret: string): string {
  const problem = secretProblem(client_secret)
  if (problem !== undefined) throw new Refusal(`The given secret ${problem}.`)
  return client_secret
}

function reportClient(
  sentence: string,
  client_id: string,
  hash: Hash,
  client_secret: string | undefined,
  warnings: readonly string[],
): Report {
  const client = describeClient(client_id, hash)
  const lines = warnings.map((warning) => `\nWarning: ${warning}.`)
  return {
    text: [sentence, '', formatClientDescription(client), ...secretLines(client_secret), ...lines].join('\n'),
    json: present({ ...client, client_secret, warnings: warnings.length === 0 ? undefined : warnings }),
  }
}

function guessedIssuer(issuer: string): string {
  return `the issuer in these settings, ${issuer}, is only the default: neither ISSUER nor a server says it. Set ISSUER as the servers have it`
}

function secretLines(client_secret: string | undefined): string[] {
  if (client_secret === undefined) return []
  return ['', `client_secret  ${client_secret}`, 'The secret is shown only once: only its SHA-256 is stored.']
}
