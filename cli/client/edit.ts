import type { Preset } from '../../src/admin/connect/preset.ts'
import { withActing } from '../../src/admin/connect/preset-fields.ts'
import { PRESETS, type PresetName } from '../../src/admin/connect/presets.ts'
import { settingsOf } from '../../src/admin/connect/settings.ts'
import { givenToJson, patchOf } from '../../src/admin/operation/record-json.ts'
import type { BodyOf } from '../../src/admin/operations.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { formatFields } from '../../src/core/field-table.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import type { Calls } from '../calls.ts'
import { formatSettings, presetFields } from '../connect/connect.ts'
import { nothingToChange, UsageError, withHints } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import { findingsOf } from '../findings.ts'
import { found } from '../found.ts'
import type { RecordAnswer } from '../from-answer.ts'
import { changedList, listChanges } from '../list-flags.ts'
import type { Report } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { describeAnswer, formatClientDescription, hintsFor } from './show.ts'

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
  calls: Calls,
  client_id: string,
  flags: AddFlags,
  client_secret: string | undefined,
): Promise<Report> {
  if (flags.origin !== undefined && flags.for === undefined) {
    throw new UsageError(
      '--origin needs --for, which knows the path of the redirect URI: give --redirect-uri.',
    )
  }
  const { host, call } = calls
  const given = fieldsOf(client_id, flags, client_secret !== undefined)
  if (given.is_public === 'true' && !given.redirect_uris && !given.grant_types) {
    throw new UsageError('A public client needs a redirect URI: give it a --redirect-uri.')
  }
  const body = present({ client_id, ...givenToJson(CLIENT_FIELDS, given), client_secret })
  const connect = flags.for && (await settingsFor(calls, flags.for, body, given, flags.origin))
  const acts_at = flags.for && (await nameAtApi(calls, flags.for, body, flags.origin))
  const answer = await withHints(hintsFor(client_id), call('create_client', { body }))
  const more = connect !== undefined && host?.guesses_issuer ? [guessedIssuer(connect.issuer)] : []
  const { text, json } = await reportClient(calls, 'The client is registered.', answer, more)
  if (flags.for === undefined || connect === undefined) return { text, json }
  const { client_secret: shown } = answer
  const settings = connect.settings(typeof shown === 'string' ? shown : undefined)
  const acting = acts_at === undefined ? '' : `\n\n${client_id} may act with the tokens of ${acts_at}.`
  return {
    text: `${text}${acting}\n\n${formatSettings(flags.for, settings)}`,
    json: { ...Object(json), ...(acts_at !== undefined && { acts_at }), settings },
  }
}

/**
 * Lets a client that acts with the tokens of an API do so: the record of the API names it, and is made if there is none.
 * This comes first: what is refused here makes no secret, which is shown once.
 * @returns the API; undefined: it is no such client
 * @throws AdminError
 */
async function nameAtApi(
  { call }: Calls,
  name: PresetName,
  { client_id, allowed_scopes }: { readonly client_id: string; readonly allowed_scopes?: unknown },
  resource: string | undefined,
): Promise<string | undefined> {
  const { acts }: Preset = PRESETS[name]
  if (!acts || resource === undefined) return undefined
  const params = { resource }
  const stored = await found(call('read_resource', { params }))
  const body = withActing(stored, client_id)
  if (stored !== undefined) await call('change_resource', { params, body })
  else
    await call('create_resource', {
      body: { resource, scopes: [...(allowed_scopes as string[])], ...body },
    })
  return resource
}

/**
 * Returns what makes the settings of a new client once its secret is known, and the issuer in them.
 * @throws UsageError if the issuer is not known; AdminError if the client would be malformed, or a value cannot be pasted
 */
async function settingsFor(
  calls: Calls,
  name: PresetName,
  body: BodyOf<'create_client'> & { readonly client_id: string },
  given: Hash,
  origin: string | undefined,
) {
  const disputed = calls.host?.disputed_issuers
  if (disputed !== undefined) {
    throw new UsageError(
      `The servers disagree about ISSUER (${disputed.join(' and ')}), so the settings of --for are not known: set ISSUER.`,
    )
  }
  const { issuer } = (await settingsAt(calls)) ?? {}
  if (issuer === undefined)
    throw new UsageError('--for needs the issuer of the server, which redmint:server:read lets one see.')
  const { client_id } = body
  await withHints(hintsFor(client_id), calls.plan('create_client', { body }))
  const { is_public, redirect_uris = '', allowed_scopes = '' } = given
  const client = {
    client_id,
    is_public: is_public === 'true',
    redirect_uris: scopeNames(redirect_uris),
    allowed_scopes: scopeNames(allowed_scopes),
  }
  const settings = (client_secret: string | undefined) =>
    settingsOf(name, { issuer, client, client_secret, origin })
  settings(undefined)
  return { issuer, settings }
}

/** Returns the fields of a new client that its preset and the flags set. Flags of single fields win over the preset. */
function fieldsOf(client_id: string, flags: AddFlags, secret_given: boolean): Hash {
  const given = givenFields(CLIENT_FIELDS, flags)
  if (flags.for === undefined) return { is_public: String(flags.public === true), ...given }
  const preset = presetFields(flags.for, { ...flags, ...given, secret_given })
  const client = formatFields(CLIENT_FIELDS, {
    client_id,
    client_name: client_id,
    grant_types: [],
    ...preset,
  })
  return { ...Object.fromEntries(Object.entries(client).filter(([, value]) => value !== '')), ...given }
}

/**
 * The command `client update`: changes the fields that the flags name.
 * @throws Refusal if the client does not exist or its record would be malformed; UsageError
 */
export async function updateClient(
  calls: Calls,
  client_id: string,
  flags: UpdateFlags,
  client_secret: string | undefined,
): Promise<Report> {
  const set = givenFields(CLIENT_FIELDS, flags)
  if (flags.public ?? flags.confidential) set.is_public = String(flags.public === true)
  const unset = clearedFields(CLIENT_FIELDS, flags)
  const lists = listChanges(CLIENT_FIELDS, flags)
  if (Object.keys(set).length + unset.length + lists.length === 0 && client_secret === undefined) {
    throw nothingToChange('client update')
  }
  const given = givenToJson(CLIENT_FIELDS, set)
  const removed = unset.map((name) => [name, null])
  const changing = calls.call('change_client', {
    params: { client_id },
    patch(stored) {
      const changed = Object.entries(given).map(([name, value]) => [name, patchOf(stored[name], value)])
      const edited = lists.map((change) => [change.name, changedList(stored[change.name], change)])
      return present({ ...Object.fromEntries([...changed, ...removed, ...edited]), client_secret })
    },
  })
  const answer = await withHints(hintsFor(client_id), changing)
  return reportClient(calls, 'The client is changed.', answer)
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
  const rotating = call('rotate_client_secret', { params: { client_id }, body })
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

/** The record is written by then, and its secret is shown only here, so this never fails. */
async function warningsOf(calls: Calls, client_id: string): Promise<string[]> {
  try {
    return (await findingsOf(calls, 'client', client_id)).findings.map(describeProblem)
  } catch (error) {
    return [
      `the record was not checked: ${error instanceof Error ? error.message : error}`.replace(/\.$/, ''),
    ]
  }
}

async function reportClient(
  calls: Calls,
  sentence: string,
  answer: RecordAnswer,
  more: readonly string[] = [],
): Promise<Report> {
  const client = describeAnswer(answer)
  const client_secret = typeof answer.client_secret === 'string' ? answer.client_secret : undefined
  const warnings = [...(await warningsOf(calls, client.client_id)), ...more]
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
