import { insertClient } from '../../src/admin/clients/create.ts'
import { defaultFields } from '../../src/admin/clients/defaults.ts'
import { tellClientChange } from '../../src/admin/clients/events.ts'
import { newSecret, OLD_SECRET_FIELDS, SECRETS_NOTE, secretFields } from '../../src/admin/clients/secret.ts'
import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { keyProblems } from '../../src/clients/keys/key-problems.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { formatClient, parseClient, registrationProblems } from '../../src/clients/record/client-record.ts'
import { hasSecretlessMethod } from '../../src/clients/record/profiles.ts'
import { reportAll } from '../../src/core/events.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { scopeNames } from '../../src/core/scope.ts'
import type { Change } from '../../src/storage/records.ts'
import {
  describeUnfinished,
  EntryProblems,
  formatTotals,
  type ImportStep,
  LISTED,
  PARALLEL,
  type Totals,
} from '../import.ts'
import type { ListFile } from '../list-file.ts'
import { checkList, type ListImport, writeList } from '../list-import.ts'
import { type Report, table } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import { isOwnClient, OWN_CLIENT, rightLost, withoutRights } from '../rights-in-files.ts'
import type { CommandContext, Progress } from '../run.ts'
import { type Entry, readEntries } from './import-file.ts'

/**
 * What to do with existing clients. Without a flag, each is a problem and nothing is written. With `json` each client is in the
 * report.
 */
export interface ImportFlags {
  update?: true
  skipExisting?: true
  json?: true
}

type ImportContext = Pick<CommandContext, 'storage' | 'report' | 'now'>

interface ClientStep extends ImportStep {
  client_id: string
  /** The secret, if it was generated. */
  client_secret?: string
  /** The scopes of the admin API that the file has and the client does not get. */
  lost?: readonly string[]
}

/**
 * The command `client import`. Nothing is written unless every client in the file is well-formed.
 * @throws Refusal that lists problems
 */
export async function importClients(
  context: ImportContext,
  file: ListFile,
  flags: ImportFlags,
  progress: (total: number) => Progress,
): Promise<Report> {
  const clients: ListImport<Entry, ClientStep> = {
    read: (values, problems, seen) => readEntries(values, problems, undefined, seen),
    untried: ({ client_id }) => ({ client_id, outcome: 'not_written' }),
    async plan(entries, problems = new EntryProblems()) {
      const steps: ClientStep[] = []
      await forEachInParallel([...entries.entries()], PARALLEL, async ([index, entry]) => {
        const existing = (await context.storage.records.read(CLIENT, entry.client_id))?.hash
        steps[index] = plan(context, entry, existing, flags, problems)
      })
      return steps
    },
  }
  const wanted = await checkList(file, clients)
  const shown: ShownClient[] = []
  const { totals, failure } = await writeList(file, clients, progress(wanted), (step) => {
    const client = shownOf(step)
    const { outcome, client_secret, lost } = client
    const is_unfinished = outcome === 'unknown' || outcome === 'not_written'
    const says_more = client_secret || lost || (is_unfinished && shown.length < LISTED)
    if (flags.json || says_more) shown.push(client)
  })
  const hint = 'Clients whose outcome is "unknown" may have been written, with the secret shown.'
  return {
    text: formatImport(totals, shown),
    json: { ...totals, clients: shown },
    ...describeUnfinished(totals, 'client', failure, hint),
  }
}

function plan(
  context: ImportContext,
  entry: Entry,
  existing: Hash | undefined,
  flags: ImportFlags,
  problems: EntryProblems,
): ClientStep {
  const { storage: store, report, now } = context
  const { client_id } = entry
  const place = { index: entry.index, name: client_id }
  if (existing !== undefined && !flags.update && !flags.skipExisting) {
    problems.add(place, 'exists already: use --update to change it or --skip-existing to keep it')
  }
  const stored = flags.update ? existing : undefined
  if (isOwnClient(client_id)) problems.add(place, OWN_CLIENT)
  const { taken, lost } = withoutRights(scopeNames(entry.set.allowed_scopes ?? ''), existing?.allowed_scopes)
  const given = lost.length === 0 ? entry.set : { ...entry.set, allowed_scopes: taken.join(' ') }
  const set = stored === undefined ? { ...given, ...defaultFields(given) } : given
  const { change, client_secret } = withSecret({ ...entry, set }, stored, now())
  const changed = applyChange(stored ?? {}, change)
  const parsed = parseClient(client_id, changed)
  for (const problem of [...registrationProblems(entry.set), ...keyProblems(changed, stored)]) {
    problems.add(place, describeProblem(problem))
  }
  if (!parsed.ok) {
    for (const problem of parsed.problems) {
      if (!entry.unread.has(problem.field)) problems.add(place, describeProblem(problem))
    }
    return { client_id, outcome: 'not_written' }
  }
  if (existing !== undefined && flags.skipExisting) return { client_id, outcome: 'skipped' }
  return {
    ...present({ client_id, client_secret }),
    ...(lost.length > 0 && { lost }),
    outcome: 'not_written',
    write: async () => {
      if (stored !== undefined) {
        const { events, told } = tellClientChange(report, client_id, stored, changed)
        if ((await store.records.change(CLIENT, client_id, { ...change, told })) === 'missing')
          return 'not_written'
        reportAll(report, events)
        return 'updated'
      }
      const outcome = await insertClient(context, client_id, formatClient(parsed.record))
      return outcome === 'ok' ? 'created' : 'not_written'
    },
  }
}

/**
 * Returns the change that a file makes: a confidential client without a secret gets one, and a client that becomes public
 * loses its secret.
 */
export function withSecret(
  entry: Pick<Entry, 'set'>,
  stored: Hash | undefined,
  now: number,
): { change: Change; client_secret?: string } {
  const fields = { ...stored, ...entry.set }
  const { is_public, client_secret_hash } = fields
  if (is_public === 'true') {
    const unset = ['client_secret_hash', 'client_secret_created_at', ...OLD_SECRET_FIELDS]
    return { change: { set: entry.set, unset: unset.filter((field) => !entry.set[field]) } }
  }
  if (entry.set.client_secret_hash) {
    // It is not known when a secret in the file was made, unless the file says so.
    const unset = entry.set.client_secret_created_at ? [] : ['client_secret_created_at']
    return { change: { set: entry.set, unset: stored === undefined ? [] : unset } }
  }
  // The client has a secret, or needs none.
  if (client_secret_hash || hasSecretlessMethod(fields)) return { change: { set: entry.set, unset: [] } }
  const client_secret = newSecret()
  return {
    change: { set: { ...secretFields(client_secret, now), ...entry.set }, unset: [] },
    client_secret,
  }
}

type ShownClient = Omit<ClientStep, 'write'>

/** Returns what is said of a client; a secret that it did not get is none. */
function shownOf({ client_id, outcome, client_secret, lost }: ClientStep): ShownClient {
  return present({
    client_id,
    outcome,
    client_secret: outcome === 'not_written' ? undefined : client_secret,
    lost: outcome === 'not_written' ? undefined : lost,
  })
}

function formatImport(totals: Totals, clients: readonly ShownClient[]): string {
  const shown = clients.filter(
    ({ outcome, client_secret }) =>
      client_secret !== undefined || outcome === 'unknown' || outcome === 'not_written',
  )
  const rows = shown.map(({ client_id, outcome, client_secret = '' }) => [client_id, outcome, client_secret])
  return [
    ...(rows.length === 0 ? [] : [table(['CLIENT_ID', 'OUTCOME', 'CLIENT_SECRET'], rows), '']),
    ...(shown.some(({ client_secret }) => client_secret !== undefined) ? [SECRETS_NOTE] : []),
    ...clients.flatMap(({ client_id, lost = [] }) =>
      lost.map((scope) => `lost     client "${client_id}" scope: ${rightLost(scope)}`),
    ),
    formatTotals(totals),
  ].join('\n')
}
