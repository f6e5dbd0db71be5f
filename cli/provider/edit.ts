import { shellWord } from '../../src/core/shell-word.ts'
import { callbackOf } from '../../src/providers/callback.ts'
import { kindOf, PROVIDER_PRESETS, type ProviderKind } from '../../src/providers/presets.ts'
import { PROVIDER_FIELDS } from '../../src/providers/provider-fields.ts'
import type { Calls } from '../calls.ts'
import { EXIT, UsageError, withHints } from '../errors.ts'
import { changedFields, type FlagValues, givenFields } from '../field-flags.ts'
import { type Report, table } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { addSimple, changeSimpleNamed, PROVIDER, removeSimpleNamed, type SimpleChange } from '../simple.ts'
import { HINTS, reportProvider } from './show.ts'

/**
 * The command `provider add`. Its kind has defaults for what is not given.
 * @param secret what the provider gave redmint; absent: it is set later
 * @throws Refusal if the provider exists or its record would be malformed; UsageError
 */
export async function addProvider(
  calls: Calls,
  provider: string,
  flags: FlagValues,
  secret: string | undefined,
): Promise<Report> {
  const given = givenFields(PROVIDER_FIELDS, flags)
  const kind = (given.kind as ProviderKind | undefined) ?? kindOf(provider)
  const { issuer = given.issuer, example, place } = PROVIDER_PRESETS[kind]
  if (issuer === undefined) throw new UsageError(`Give its issuer: --issuer ${shellWord(example ?? '')}.`)
  const callback = await callbackAt(calls, provider)
  if (given.client_id === undefined) {
    throw new UsageError(
      `Register redmint at ${place}, with the redirect URI ${callback}. Then give the client_id that you get there: --client-id <id>.`,
    )
  }
  const added = await withHints(HINTS, addSimple(calls, PROVIDER, provider, given, secret))
  const { id, hash } = added
  const scope = hash.scope ?? 'openid profile email'
  return reportProvider(
    [
      'The provider is added.',
      `It must know the redirect URI ${callback} and the scopes ${scope}: enter them at ${place}.`,
      ...(secret === undefined ? [`Next: redmint provider secret ${id}`] : []),
      `Then: redmint provider test ${id}`,
    ],
    added,
  )
}

async function callbackAt(calls: Calls, provider: string): Promise<string> {
  const { issuer = '<ISSUER>' } = (await settingsAt(calls)) ?? {}
  return callbackOf({ issuer }, provider)
}

/** The command `provider secret`. @throws Refusal if the provider does not exist */
export async function setProviderSecret(
  { call }: Calls,
  provider: string,
  client_secret: string,
): Promise<Report> {
  const input = { params: { provider }, body: { client_secret } }
  await withHints(HINTS, call('set_provider_secret', input))
  return { text: 'The secret is set. It is never shown.', json: { provider, has_secret: true } }
}

/**
 * The command `provider update`: changes the fields that the flags name.
 * @throws Refusal if the provider does not exist or its record would be malformed; UsageError
 */
export async function updateProvider(calls: Calls, provider: string, flags: FlagValues): Promise<Report> {
  const change = changedFields(PROVIDER_FIELDS, flags, 'provider update')
  const renewed = change.set.issuer !== undefined || change.set.client_id !== undefined
  return changeProvider(calls, provider, change, [
    'The provider is changed.',
    ...(renewed ? [`Its secret was for another one: redmint provider secret ${shellWord(provider)}`] : []),
  ])
}

/** The commands `provider disable` and `provider enable`. @throws Refusal if the provider does not exist */
export async function setDisabled(calls: Calls, provider: string, disabled: boolean): Promise<Report> {
  return disabled
    ? changeProvider(calls, provider, { set: { disabled: 'true' } }, ['The provider is disabled.'])
    : changeProvider(calls, provider, { set: {}, unset: ['disabled'] }, ['The provider is enabled.'])
}

/** The command `provider remove`. @throws Refusal if the provider does not exist */
export async function removeProvider(calls: Calls, provider: string): Promise<Report> {
  const id = await withHints(HINTS, removeSimpleNamed(calls, PROVIDER, provider))
  return { text: 'The provider is removed, and its secret with it.', json: { provider: id, removed: true } }
}

/** The command `provider test`. @throws Refusal if the provider does not exist or its record is malformed */
export async function testProvider({ call }: Calls, provider: string): Promise<Report> {
  const { checks } = await withHints(HINTS, call('test_provider', { params: { provider } }))
  const is_wrong = checks.some(({ result }) => result === 'wrong')
  return {
    text: table(
      ['ABOUT', 'RESULT', ''],
      checks.map(({ about, result, detail }) => [about, result, detail]),
    ),
    json: { provider, checks },
    ...(is_wrong && { exit: EXIT.refused }),
  }
}

async function changeProvider(
  calls: Calls,
  provider: string,
  change: SimpleChange,
  lines: readonly string[],
): Promise<Report> {
  return reportProvider(lines, await withHints(HINTS, changeSimpleNamed(calls, PROVIDER, provider, change)))
}
