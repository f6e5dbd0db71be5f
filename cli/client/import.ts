import { needsSecret } from '../../src/admin/clients/defaults.ts'
import { newSecret, SECRETS_NOTE } from '../../src/admin/clients/secret.ts'
import { AdminError } from '../../src/admin/operation/problem.ts'
import { givenToJson, patchOf } from '../../src/admin/operation/record-json.ts'
import { OPERATIONS } from '../../src/admin/operations.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { present } from '../../src/core/present.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { scopeNames } from '../../src/core/scope.ts'
import type { Calls } from '../calls.ts'
import type { RecordAnswer } from '../from-answer.ts'
import { describeUnfinished, formatTotals, type ImportStep, LISTED, type Totals } from '../import.ts'
import type { ListFile } from '../list-file.ts'
import { checkList, type ListImport, writeList } from '../list-import.ts'
import { type Report, table } from '../output.ts'
import { isOwnClient, OWN_CLIENT, rightLost, withoutRights } from '../rights-in-files.ts'
import type { Importing } from '../run.ts'
import { type Entry, readEntries } from './import-file.ts'

/**
 * What to do with existing clients. Without a flag, each is a problem and nothing is written. With `json` each client is
 * in the report.
 */
export interface ClientImportFlags {
  update?: true
  skipExisting?: true
  json?: true
}

interface ClientStep extends ImportStep {
  readonly client_id: string
  /** The secret, if it was generated. */
  readonly client_secret?: string
  /** The scopes of the admin API that the file has and the client does not get. */
  readonly lost?: readonly string[]
}

type ReadClient = Entry & { readonly name: string; readonly new_secret: string }

/**
 * The command `client import`. Nothing is written unless every client in the file is well-formed.
 * @throws Refusal that lists problems
 */
export async function importClients(
  calls: Calls,
  file: ListFile,
  flags: ClientImportFlags,
  { progress, wait }: Importing,
): Promise<Report> {
  const clients: ListImport<ReadClient, ClientStep> = {
    read: (values, problems, seen) =>
      readEntries(values, problems, undefined, seen).map((entry) => ({
        ...entry,
        name: entry.client_id,
        // Not by the operation: whoever does not get its answer must know the secret of a client that may be written.
        new_secret: newSecret(),
      })),
    async check(entry, fail) {
      if (isOwnClient(entry.client_id)) fail(OWN_CLIENT)
      return importClient(calls, entry, flags, true)
    },
    write: (entry) => importClient(calls, entry, flags),
    unfinished: ({ client_id, set, new_secret }, outcome) => ({
      client_id,
      outcome,
      ...(outcome === 'unknown' && !flags.update && needsSecret(set) && { client_secret: new_secret }),
    }),
    problemsOf: ({ unread }, { code, fields, message }) => {
      if (code === 'exists')
        return ['exists already: use --update to change it or --skip-existing to keep it']
      if (fields.length === 0) return [message.replace(/\.$/, '')]
      return fields.filter(({ field }) => !unread.has(field)).map(({ detail }) => detail)
    },
    wait,
  }
  let total = 0
  await checkList(file, clients, ({ outcome }) => {
    if (outcome !== 'skipped') total += 1
  })
  const shown: ClientStep[] = []
  const { totals, failure } = await writeList(file, clients, progress(total), (step) => {
    const { outcome, client_secret, lost } = step
    const is_unfinished = outcome === 'unknown' || outcome === 'not_written'
    const says_more = client_secret || lost || (is_unfinished && shown.length < LISTED)
    if (flags.json || says_more) shown.push(step)
  })
  const hint = 'Clients whose outcome is "unknown" may have been written, with the secret shown.'
  return {
    text: formatImport(totals, shown),
    json: { ...totals, clients: shown },
    ...describeUnfinished(totals, 'client', failure, hint),
  }
}

/** Writes a client of a file, or checks it. @throws AdminError if it is refused */
async function importClient(
  calls: Calls,
  entry: ReadClient,
  { update, skipExisting }: ClientImportFlags,
  dry_run?: true,
): Promise<ClientStep> {
  try {
    return update ? await updateClient(calls, entry, dry_run) : await createClient(calls, entry, dry_run)
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    if (error.code === 'exists' && skipExisting) return { client_id: entry.client_id, outcome: 'skipped' }
    if (error.code === 'not_found') return createClient(calls, entry, dry_run)
    throw error
  }
}

/** The fields that a request may set. */
const REQUESTED = Object.entries(OPERATIONS.create_client.body?.properties ?? {}).flatMap(
  ([name, { readOnly }]) => (readOnly ? [] : [name]),
)

/** Returns the fields of a client besides its id, and whether there are some that only the host takes. */
function fieldsOf({ set, client_secret }: Entry) {
  const { client_id: _, client_secret_hash, ...others } = set
  const digest = client_secret === undefined ? present({ client_secret_hash }) : {}
  const fields: Hash = { ...others, ...digest }
  return { fields, is_of_host: Object.keys(fields).some((name) => !REQUESTED.includes(name)) }
}

async function createClient({ call }: Calls, entry: ReadClient, dry_run?: true): Promise<ClientStep> {
  const { given, lost } = withoutLost(entry, undefined)
  const { client_id } = given
  const { fields, is_of_host } = fieldsOf(given)
  const generated = needsSecret(given.set) ? given.new_secret : undefined
  const about = { client_id, ...present({ client_secret: given.client_secret ?? generated }) }
  const planned = dry_run && { dry_run }
  if (is_of_host) await call('import_client', { body: { ...about, fields }, ...planned })
  else {
    const body = { ...givenToJson(CLIENT_FIELDS, fields), ...about }
    await call('create_client', { body, ...planned })
  }
  return { ...present({ client_id, client_secret: generated, lost }), outcome: 'created' }
}

async function updateClient({ call }: Calls, entry: ReadClient, dry_run?: true): Promise<ClientStep> {
  const { client_id, client_secret } = entry
  const params = { client_id }
  const planned = dry_run && { dry_run }
  const { is_of_host } = fieldsOf(entry)
  let lost: readonly string[] | undefined
  const fieldsOn = ({ allowed_scopes }: RecordAnswer): Hash => {
    const known = Array.isArray(allowed_scopes) ? allowed_scopes.join(' ') : ''
    const without = withoutLost(entry, known)
    lost = without.lost
    return fieldsOf(without.given).fields
  }
  const changing = async (): Promise<RecordAnswer> => {
    if (is_of_host) {
      const fields = fieldsOn(await call('read_client', { params }))
      return call('import_client', {
        body: { client_id, fields, ...present({ client_secret }), is_update: true },
        ...planned,
      })
    }
    const patch = (stored: RecordAnswer) => {
      const members = Object.entries(givenToJson(CLIENT_FIELDS, fieldsOn(stored)))
      const changed = members.map(([name, value]) => [name, patchOf(stored[name], value)])
      return { ...Object.fromEntries(changed), ...present({ client_secret }) }
    }
    return call('change_client', { params, patch, ...planned })
  }
  const answer = await changing()
  const generated = typeof answer.client_secret === 'string' ? answer.client_secret : undefined
  return { ...present({ client_id, client_secret: generated, lost }), outcome: 'updated' }
}

/** Returns a client of a file without the rights that no file gives. @param known the scopes that it has already */
function withoutLost(entry: ReadClient, known: string | undefined) {
  const { allowed_scopes } = entry.set
  const { taken, lost } = withoutRights(scopeNames(allowed_scopes ?? ''), known)
  if (lost.length === 0) return { given: entry, lost: undefined }
  const set: Hash = { ...entry.set, allowed_scopes: taken.join(' ') }
  return { given: { ...entry, set }, lost }
}

function formatImport(totals: Totals, clients: readonly ClientStep[]): string {
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
