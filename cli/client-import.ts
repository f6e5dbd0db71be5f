import { readFile } from 'node:fs/promises'
import { formatClient, parseClient, secretHash } from '../src/records/client.ts'
import type { Hash } from '../src/records/hash.ts'
import { type Change, type ClientStore, StorageUnavailable } from '../src/storage/storage.ts'
import { applyChange } from './client-edit.ts'
import { type Entry, EntryProblems, readEntries } from './client-import-file.ts'
import { newSecret } from './client-secret.ts'
import { EXIT, refuseProblems, sayProblem, UsageError } from './errors.ts'
import { count, type Report, table } from './output.ts'
import { forEachInParallel } from './parallel.ts'
import type { Progress } from './session.ts'

/** What to do with clients that exist already; where neither is given, they keep the whole file from being written. */
export interface ImportFlags {
  update?: true
  skipExisting?: true
}

/**
 * What became of one client. `unknown`: storage gave no answer, so it may have been written or not;
 * `not_written`: it was not tried, or somebody else added or removed the client meanwhile.
 */
type Outcome = 'created' | 'updated' | 'skipped' | 'unknown' | 'not_written'

interface Step {
  client_id: string
  outcome: Outcome
  /** A generated one. */
  client_secret?: string
  write?: () => Promise<Outcome>
}

const PARALLEL = 64

/** @throws UsageError where the file cannot be read */
export async function readImportFile(file: string, input: () => Promise<string>): Promise<string> {
  if (file === '-') return input()
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/**
 * The command `client import`. Nothing is written unless every client in the file is good.
 * @throws Refusal that names every problem
 */
export async function importClients(
  store: ClientStore,
  content: string,
  flags: ImportFlags,
  progress: (total: number) => Progress,
): Promise<Report> {
  const problems = new EntryProblems()
  const entries = readEntries(content, problems)
  const steps: Step[] = []
  await forEachInParallel(entries, PARALLEL, async (entry) => {
    steps[entry.index] = plan(store, entry, await store.readClient(entry.client_id), flags, problems)
  })
  if (problems.lines.length > 0) {
    throw refuseProblems(`Nothing was written. ${count(problems.lines.length, 'problem')}:`, problems.lines)
  }
  const writes = steps.filter(({ write }) => write !== undefined)
  const shown = progress(writes.length)
  let done = 0
  try {
    await forEachInParallel(writes, PARALLEL, async (step) => {
      step.outcome = 'unknown'
      step.outcome = (await step.write?.()) ?? 'not_written'
      done += 1
      shown.at(done)
    })
    return reportImport(steps)
  } catch (error) {
    if (error instanceof StorageUnavailable) return reportImport(steps, error)
    throw error
  } finally {
    shown.end()
  }
}

function plan(
  store: ClientStore,
  entry: Entry,
  existing: Hash | undefined,
  flags: ImportFlags,
  problems: EntryProblems,
): Step {
  const { client_id } = entry
  if (existing !== undefined && !flags.update && !flags.skipExisting) {
    problems.add(entry, 'exists already: --update changes it, --skip-existing leaves it alone')
  }
  const stored = flags.update ? existing : undefined
  const { change, client_secret } = withSecret(entry, stored)
  const parsed = parseClient(client_id, applyChange(stored ?? {}, change))
  if (!parsed.ok) {
    for (const problem of parsed.problems) {
      if (!entry.unread.has(problem.field)) problems.add(entry, sayProblem(problem))
    }
    return { client_id, outcome: 'not_written' }
  }
  if (existing !== undefined && flags.skipExisting) return { client_id, outcome: 'skipped' }
  return {
    client_id,
    outcome: 'not_written',
    ...(client_secret === undefined ? {} : { client_secret }),
    write: async () => {
      if (stored !== undefined) {
        return (await store.changeClient(client_id, change)) === 'ok' ? 'updated' : 'not_written'
      }
      const created = await store.createClient(client_id, formatClient(parsed.record))
      return created === 'ok' ? 'created' : 'not_written'
    },
  }
}

// A confidential client that has no secret anywhere gets one, and a client that becomes public loses its own.
function withSecret(entry: Entry, stored: Hash | undefined): { change: Change; client_secret?: string } {
  const { is_public, client_secret_hash } = { ...stored, ...entry.set }
  if (is_public === 'true') {
    return { change: { set: entry.set, unset: entry.set.client_secret_hash ? [] : ['client_secret_hash'] } }
  }
  if (client_secret_hash) return { change: { set: entry.set, unset: [] } }
  const client_secret = newSecret()
  return {
    change: { set: { ...entry.set, client_secret_hash: secretHash(client_secret) }, unset: [] },
    client_secret,
  }
}

function reportImport(steps: readonly Step[], failure?: StorageUnavailable): Report {
  const of = (outcome: Outcome) => steps.filter((step) => step.outcome === outcome).length
  const totals = {
    total: steps.length,
    created: of('created'),
    updated: of('updated'),
    skipped: of('skipped'),
    unknown: of('unknown'),
    not_written: of('not_written'),
  }
  const clients = steps.map(({ client_id, outcome, client_secret }) => ({
    client_id,
    outcome,
    ...(client_secret === undefined || outcome === 'not_written' ? {} : { client_secret }),
  }))
  const left = totals.unknown + totals.not_written
  return {
    text: sayImport(totals, clients),
    json: { ...totals, clients },
    ...(left === 0
      ? {}
      : { exit: failure === undefined ? EXIT.refused : EXIT.storage, error: sayLeft(left, failure) }),
  }
}

function sayLeft(left: number, failure: StorageUnavailable | undefined): string {
  const why =
    failure === undefined
      ? 'somebody else added or removed them meanwhile'
      : `storage does not answer: ${failure.message}`
  return `${count(left, 'client')} left: ${why}\nRun it again with --skip-existing to go on. Clients whose outcome is "unknown" may have been written, with the secret shown.`
}

function sayImport(totals: Record<string, number>, clients: readonly Omit<Step, 'write'>[]): string {
  const shown = clients.filter(
    ({ outcome, client_secret }) =>
      client_secret !== undefined || outcome === 'unknown' || outcome === 'not_written',
  )
  const rows = shown.map(({ client_id, outcome, client_secret = '' }) => [client_id, outcome, client_secret])
  const summary = Object.entries(totals)
    .filter(([name, number]) => name === 'total' || number > 0)
    .map(([name, number]) => `${name.replace('_', ' ')} ${number}`)
  return [
    ...(rows.length === 0 ? [] : [table(['CLIENT_ID', 'OUTCOME', 'CLIENT_SECRET'], rows), '']),
    ...(shown.some(({ client_secret }) => client_secret !== undefined)
      ? ['Generated secrets are shown this once: only their SHA-256 is stored.']
      : []),
    `${summary.join(', ')}.`,
  ].join('\n')
}
