import { changeClient, planChange } from '../../src/admin/clients/change.ts'
import { planClient, writeNewClient } from '../../src/admin/clients/create.ts'
import { lintClient } from '../../src/admin/clients/lint.ts'
import { readClient } from '../../src/admin/clients/noun.ts'
import type { RotatedAnswer } from '../../src/admin/clients/secret-operations.ts'
import type { PresetName } from '../../src/admin/connect/presets.ts'
import { settingsOf } from '../../src/admin/connect/settings.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import { adminContext } from '../admin-context.ts'
import type { Calls } from '../calls.ts'
import { formatSettings, presetFields } from '../connect/connect.ts'
import { UsageError, withHints } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { describeClient, formatClientDescription, hintsFor } from './show.ts'

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
  context: CommandContext,
  client_id: string,
  flags: AddFlags,
  client_secret: string | undefined,
): Promise<Report> {
  if (flags.origin !== undefined && flags.for === undefined) {
    throw new UsageError(
      '--origin needs --for, which knows the path of the redirect URI: give --redirect-uri.',
    )
  }
  const given = fieldsOf(client_id, flags, client_secret !== undefined)
  if (given.is_public === 'true' && !given.redirect_uris && !given.grant_types) {
    throw new UsageError('A public client needs a redirect URI: give it a --redirect-uri.')
  }
  const admin = adminContext(context)
  const { hash, client, client_secret: shown } = planClient(admin, client_id, given, client_secret)
  const { issuer } = admin.settings
  const connected = { issuer, client, client_secret: shown, origin: flags.origin }
  const settings = flags.for && settingsOf(flags.for, connected)
  await withHints(hintsFor(client_id), writeNewClient(admin, client_id, hash))
  const warnings = warningsOf(context, client_id, hash)
  if (settings !== undefined && context.guesses_issuer) warnings.push(guessedIssuer(issuer))
  const { text, json } = reportClient('The client is registered.', client_id, hash, shown, warnings)
  return flags.for && settings
    ? { text: `${text}\n\n${formatSettings(flags.for, settings)}`, json: { ...json, settings } }
    : { text, json }
}

/** Returns the fields of a new client that its preset and the flags set. Flags of single fields win over the preset. */
function fieldsOf(client_id: string, flags: AddFlags, secret_given: boolean): Hash {
  const given = givenFields(CLIENT_FIELDS, flags)
  if (flags.for === undefined) return { is_public: String(flags.public === true), ...given }
  const preset = presetFields(flags.for, { ...flags, ...given, secret_given })
  const client = formatClient({ client_id, client_name: client_id, grant_types: [], ...preset })
  return { ...Object.fromEntries(Object.entries(client).filter(([, value]) => value !== '')), ...given }
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
  const hints = hintsFor(client_id)
  const stored = await withHints(hints, readClient(context.storage, client_id))
  const set = givenFields(CLIENT_FIELDS, flags)
  if (flags.public ?? flags.confidential) set.is_public = String(flags.public === true)
  const unset = clearedFields(CLIENT_FIELDS, flags)
  const becomes_confidential = flags.confidential === true
  const change = planChange(stored, { set, unset, client_secret, becomes_confidential }, context.now)
  if (Object.keys(change.set).length + change.unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint client update --help.',
    )
  }
  const hash = await withHints(hints, changeClient(adminContext(context), client_id, stored, change))
  const warnings = warningsOf(context, client_id, hash)
  return reportClient('The client is changed.', client_id, hash, change.client_secret, warnings)
}

/**
 * The command `client rotate-secret`. The old secret is accepted for `keep` more seconds.
 * @throws Refusal if the client does not exist or is public, its record is malformed, or it changes meanwhile
 */
export async function rotateSecretOf(
  { call }: Calls,
  client_id: string,
  given: string | undefined,
  keep: number,
): Promise<Report> {
  const body = present({ client_secret: given, keep_old_for: keep })
  const rotating = call<RotatedAnswer>('rotate_client_secret', { params: { client_id }, body })
  const { client_secret, old_secret_ends_at } = await withHints(hintsFor(client_id), rotating)
  const sentence = old_secret_ends_at
    ? `The client has a new secret; the old secret is valid until ${old_secret_ends_at}. To end it before: redmint client end-old-secret ${shellWord(client_id)}`
    : 'The client has a new secret; the old secret is no longer valid.'
  return {
    text: [sentence, ...secretLines(client_secret)].join('\n'),
    json: present({ client_id, client_secret, old_secret_ends_at }),
  }
}

/**
 * The command `client end-old-secret`.
 * @throws Refusal if the client does not exist
 */
export async function endOldSecretOf({ call }: Calls, client_id: string): Promise<Report> {
  await withHints(hintsFor(client_id), call('end_old_client_secret', { params: { client_id } }))
  return {
    text: 'The client has no old secret any more; the present one stays valid.',
    json: { client_id, old_secret: 'none' },
  }
}

function warningsOf({ config, now }: CommandContext, client_id: string, hash: Hash): string[] {
  return lintClient(client_id, hash, config.settings, undefined, now).map(describeProblem)
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
