import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { compare, guarded } from '../../src/admin/operation/compare.ts'
import { PROVIDERS } from '../../src/admin/providers/providers.ts'
import { toldOf } from '../../src/core/events.ts'
import type { FieldText } from '../../src/core/field-kinds.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { clientSecretProblem, openClientSecret, sealClientSecret } from '../../src/providers/client-secret.ts'
import { presetFields } from '../../src/providers/presets.ts'
import { PROVIDER_FIELDS } from '../../src/providers/provider-fields.ts'
import { PROVIDER, parseProvider, providerProblem } from '../../src/providers/provider-record.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import type { CommandContext } from '../run.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** A provider of a file. */
export interface ProviderEntry {
  /** The place in the file, as EntryProblems has it. */
  index: number
  provider: string
  /** The fields in the file, as storage writes them. */
  set: Hash
  /** The secret to which the file refers; absent: that of the record stays. */
  client_secret?: string
}

const TABLE: FieldTable = PROVIDER_FIELDS
const SEALED = 'client_secret_sealed'
const OWN_FIELDS: readonly string[] = ['managed_by', SEALED]
const NAMES = Object.keys(PROVIDER_FIELDS).filter((name) => name !== SEALED)
const MEMBERS = { table: TABLE, noun: 'a provider', others: ['client_secret'] }

/**
 * Reads providers, each with its place. Adds the problems of entries that cannot be read to `problems`.
 * @param readSecret reads the secret to which an entry refers
 */
export function readProviders(
  values: Iterable<[number, unknown]>,
  problems: EntryProblems,
  readSecret: (given: unknown) => FieldText,
): ProviderEntry[] {
  const seen = new Set<string>()
  return [...values].flatMap(([index, value]) => {
    const provider = isObject(value) && typeof value.provider === 'string' ? value.provider : ''
    const fail = (problem: string) => problems.add({ index, name: provider }, problem)
    const problem = providerProblem(provider)
    if (!isObject(value)) fail('must be an object')
    else if (problem !== undefined) fail(`provider ${problem}`)
    else if (seen.has(provider)) fail('provider is in the file twice')
    else {
      seen.add(provider)
      return [{ index, provider, ...readMembers(provider, value, readSecret, fail) }]
    }
    return []
  })
}

function readMembers(
  provider: string,
  value: Readonly<Record<string, unknown>>,
  readSecret: (given: unknown) => FieldText,
  fail: (problem: string) => void,
): Pick<ProviderEntry, 'set' | 'client_secret'> {
  const set: Record<string, string> = {}
  let client_secret: string | undefined
  for (const { field, name, given } of membersOf(value, MEMBERS, fail)) {
    const read = field === 'client_secret' ? readSecret(given) : TABLE[field]?.fromJson(given)
    if (OWN_FIELDS.includes(field)) fail(`${name} cannot be declared: redmint sets it`)
    else if (read !== undefined && 'problem' in read) fail(`${name} ${read.problem}`)
    else if (read !== undefined && field === 'client_secret') client_secret = read.text
    else if (read !== undefined) set[field] = read.text
  }
  return {
    set: { ...presetFields(provider, set), ...set },
    ...(client_secret !== undefined && { client_secret }),
  }
}

/** Returns the work for a declared provider; reports problems to `fail`. */
export async function planProvider(
  context: Pick<CommandContext, 'storage' | 'config' | 'report'>,
  { provider, set: given, client_secret }: ProviderEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { storage, report, config } = context
  const { records } = storage
  const sealing = { storage, settings: config.settings }
  const stored = (await records.read(PROVIDER, provider))?.hash
  // A provider that an operator disabled in an emergency stays disabled.
  const names = NAMES.filter((name) => name !== 'disabled' || given.disabled !== undefined)
  const declared = { ...given, managed_by: own.label }
  const { differences, set, unset } = compare(TABLE, names, stored ?? {}, declared)
  const owner = stored === undefined ? undefined : ownershipProblem(stored.managed_by, own)
  if (owner !== undefined) fail(owner)
  const wanted = parseProvider(provider, applyChange(stored ?? {}, { set, unset }))
  if (!wanted.ok) wanted.problems.map(describeProblem).forEach(fail)
  const secret_problem =
    wanted.ok && client_secret !== undefined ? clientSecretProblem(wanted.record, client_secret) : undefined
  if (secret_problem !== undefined) fail(`client_secret ${secret_problem}`)
  const is_renewed =
    wanted.ok &&
    client_secret !== undefined &&
    (await openClientSecret(sealing, wanted.record)) !== client_secret
  if (is_renewed) differences.push({ field: 'client_secret' })
  const step = { kind: 'provider' as const, name: provider, ends: false, differences }
  if (stored !== undefined && differences.length === 0) {
    return { ...step, action: 'unchanged', outcome: 'done' }
  }
  const write = async () => {
    const sealed = is_renewed
      ? { [SEALED]: await sealClientSecret(sealing, wanted.record, client_secret) }
      : {}
    const event = PROVIDERS.written(provider)
    const told = toldOf(report, [event])
    const change = { set: { ...set, ...sealed }, unset }
    const written =
      stored === undefined
        ? await records.create({ kind: PROVIDER, id: provider, hash: change.set, told })
        : await records.change(PROVIDER, provider, { ...guarded(stored, change), told })
    if (written !== 'ok') return 'not_written'
    report(event)
    return 'done'
  }
  return { ...step, action: stored === undefined ? 'create' : 'change', outcome: 'not_written', write }
}
