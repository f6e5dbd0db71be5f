import { CLIENT_FIELDS, isClientId, parseClient } from '../../src/clients/client-record.ts'
import type { Settings } from '../../src/config/config.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import { isLoopbackHost } from '../../src/core/uri.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { EXIT, sayProblem } from '../errors.ts'
import { nearestName } from '../nearest.ts'
import { count, type Report, table } from '../output.ts'
import { readClient, readClients } from './show.ts'

/** `error`: the servers refuse the client. `warning`: they accept it, and it is probably not what was meant. */
export interface Finding extends FieldProblem {
  level: 'error' | 'warning'
  client_id: string
}

/** What the servers are set to, as far as it is doubtful whether records go with it. */
export type LintSettings = Pick<Settings, 'pairwise_salt'>

/**
 * The command `client lint`, for one client or for all.
 * @throws Refusal where the one client is not there
 */
export async function lintClients(
  store: RecordStore,
  client_id: string | undefined,
  settings: LintSettings,
): Promise<Report> {
  const clients =
    client_id === undefined
      ? await readClients(store)
      : new Map([[client_id, await readClient(store, client_id)]])
  const findings = [...clients].flatMap(([id, hash]) => lintClient(id, hash, settings))
  const errors = findings.filter(({ level }) => level === 'error').length
  const warnings = findings.length - errors
  const rows = findings.map((finding) => [finding.level, finding.client_id, sayProblem(finding)])
  const summary = `${count(clients.size, 'client')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`
  return {
    text: rows.length === 0 ? summary : `${table(['LEVEL', 'CLIENT_ID', 'FINDING'], rows)}\n\n${summary}`,
    json: { clients: clients.size, errors, warnings, findings },
    ...(errors === 0 ? {} : { exit: EXIT.refused }),
  }
}

/** All that is wrong with one record, or doubtful. */
export function lintClient(client_id: string, hash: Hash, settings: LintSettings): Finding[] {
  const parsed = parseClient(client_id, hash)
  const errors = parsed.ok ? [] : [...parsed.problems]
  if (!isClientId(client_id))
    errors.push({ field: 'client_id', problem: 'is not 1 to 255 printable ASCII characters' })
  return [
    ...errors.map((problem) => ({ level: 'error' as const, client_id, ...problem })),
    ...[...warnings(hash), ...pairwiseWarnings(hash, settings)].map((problem) => ({
      level: 'warning' as const,
      client_id,
      ...problem,
    })),
  ]
}

// These look at the raw fields, so that a malformed record shows everything at once.
function warnings(hash: Hash): FieldProblem[] {
  const found: FieldProblem[] = []
  const warn = (field: string, problem: string) => found.push({ field, problem })
  const grant_types = entries(hash, 'grant_types')
  const redirect_uris = entries(hash, 'redirect_uris')
  const codes = grant_types.includes('authorization_code')

  if (!hash.client_id) warn('client_id', 'is missing, and the name in the key is taken')
  for (const field of unknownFields(hash)) warn(field, sayUnknown(field))
  if (hash.is_public === 'true' && grant_types.includes('client_credentials')) {
    warn('grant_types', 'holds client_credentials, which a public client cannot use (RFC 6749 §4.4)')
  }
  if (codes && redirect_uris.length === 0) {
    warn('redirect_uris', 'is empty, so authorization_code leads nowhere')
  }
  if (!codes && redirect_uris.length > 0) {
    warn('grant_types', 'lacks authorization_code, so redirect_uris is of no use')
  }
  if (!codes && grant_types.includes('refresh_token')) {
    warn('grant_types', 'holds refresh_token, and no other grant type here gives out refresh tokens')
  }
  for (const uri of redirect_uris.filter(isPlainHttp)) {
    warn('redirect_uris', `: "${uri}" is http on a host that is not loopback: codes travel in the clear`)
  }
  for (const uri of entries(hash, 'post_logout_redirect_uris').filter(isPlainHttp)) {
    warn('post_logout_redirect_uris', `: "${uri}" is http on a host that is not loopback`)
  }
  for (const field of ['redirect_uris', 'allowed_scopes', 'grant_types', 'post_logout_redirect_uris']) {
    for (const entry of duplicates(entries(hash, field))) warn(field, `: "${entry}" is there more than once`)
  }
  return found
}

function pairwiseWarnings(hash: Hash, { pairwise_salt }: LintSettings): FieldProblem[] {
  if (hash.subject_type !== 'pairwise') {
    if (!hash.sector_identifier) return []
    return [{ field: 'sector_identifier', problem: 'is of no use, because subject_type is not pairwise' }]
  }
  if (pairwise_salt !== undefined) return []
  return [
    { field: 'subject_type', problem: 'is pairwise, which needs PAIRWISE_SALT, and that is not set here' },
  ]
}

function entries(hash: Hash, field: string): string[] {
  return (hash[field] ?? '').split(/\s+/).filter((entry) => entry !== '')
}

function unknownFields(hash: Hash): string[] {
  return Object.keys(hash).filter((field) => !CLIENT_FIELDS.some((known) => known === field))
}

function sayUnknown(field: string): string {
  if (field === 'client_secret') {
    return 'holds a secret in the clear and is not read: put its SHA-256 in base64 into client_secret_hash'
  }
  const nearest = nearestName(field, CLIENT_FIELDS)
  return `is no field that redmint knows${nearest === undefined ? '' : `: is ${nearest} meant?`}`
}

function duplicates(list: readonly string[]): Set<string> {
  return new Set(list.filter((entry, index) => list.indexOf(entry) !== index))
}

function isPlainHttp(uri: string): boolean {
  return /^http:/i.test(uri) && URL.canParse(uri) && !isLoopbackHost(new URL(uri).hostname)
}
