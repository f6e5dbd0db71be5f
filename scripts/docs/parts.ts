import { API_CHECKS } from '../../dev/check-api/checks.ts'
import { CLIENT_CHECKS } from '../../dev/check-client/checks.ts'
import type { CheckTexts } from '../../dev/report/report.ts'
import { PROBLEMS } from '../../src/admin/operation/problem.ts'
import { APPLICATION_FIELDS } from '../../src/applications/application-fields.ts'
import { apartRows } from '../../src/audit/event-steps.ts'
import { ocsfRows } from '../../src/audit/ocsf.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { ERRORS, type ErrorRow } from '../../src/core/error-codes.ts'
import { EVENTS } from '../../src/core/events.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { REASONS, type Reason } from '../../src/core/reasons.ts'
import { PARTIES, partyOf } from '../../src/core/third-parties.ts'
import { DETAIL_TYPE_FIELDS } from '../../src/details/detail-type-fields.ts'
import { textOf } from '../../src/explain/texts.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { PROVIDER_FIELDS } from '../../src/providers/provider-fields.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { CONTROL_PARTS } from './control.ts'
import { clearFlagsOf, flagsOf } from './flags.ts'
import { code, type MakePart, table } from './page.ts'
import { makeSettings } from './settings.ts'
import { TESTING_PARTS } from './testing.ts'
import { makeMcpServer, makeTrial } from './trial.ts'
import { variablesOf } from './variables.ts'

/** The parts of pages that stand in the code, by the names in their marks. */
export const PARTS: Readonly<Record<string, MakePart>> = {
  settings: makeSettings,
  'a server to try': makeTrial,
  'the example of an MCP server': makeMcpServer,
  ...TESTING_PARTS,
  'fields of clients': () => fieldsOf(CLIENT_FIELDS),
  'fields of users': () => fieldsOf(USER_FIELDS),
  'fields of resources': () => fieldsOf(RESOURCE_FIELDS),
  'fields of types of details': () => fieldsOf(DETAIL_TYPE_FIELDS),
  'fields of issuers': () => fieldsOf(ISSUER_FIELDS),
  'fields of other servers': () => fieldsOf(APPLICATION_FIELDS),
  'fields of providers': () => fieldsOf(PROVIDER_FIELDS),
  'errors of the token endpoint': () => errorTable('token'),
  'errors of requests that are pushed or signed': () => errorTable('shown'),
  'errors that are sent to the client': () => errorTable('sent'),
  'errors about access tokens': () => errorTable('bearer'),
  'errors of the registration': () => errorTable('registration'),
  'flags of init': () => flagsOf('init'),
  'flags of dev': () => flagsOf('dev'),
  'flags of apply': () => flagsOf('apply'),
  'flags of export': () => flagsOf('export'),
  'flags of import': () => flagsOf('import'),
  'flags of client add': () => flagsOf('client', 'add'),
  'flags of client update': () => clearFlagsOf('client', 'update'),
  'flags of issuer add': () => flagsOf('issuer', 'add'),
  'flags of issuer update': () => clearFlagsOf('issuer', 'update'),
  'flags of application add': () => flagsOf('application', 'add'),
  'flags of application update': () => clearFlagsOf('application', 'update'),
  'flags of provider add': () => flagsOf('provider', 'add'),
  'flags of provider update': () => clearFlagsOf('provider', 'update'),
  'flags of user add': () => flagsOf('user', 'add'),
  'events that are written apart': apartTable,
  'classes of OCSF': ocsfTable,
  'problems of the admin API': problemTable,
  'security events': eventTable,
  'reasons of refusals': reasonTable,
  'third parties': partyTable,
  'flags of dev check-client': () => flagsOf('dev', 'check-client'),
  'flags of dev check-api': () => flagsOf('dev', 'check-api'),
  'checks of clients': () => checkTable(CLIENT_CHECKS, 'must survive'),
  'checks of APIs': () => checkTable(API_CHECKS, 'must take'),
  'variables of the process': () => variablesOf('process'),
  'variables of Redis': () => variablesOf('redis'),
  'variables of the service': () => variablesOf('service'),
  ...CONTROL_PARTS,
}

function fieldsOf(fields: FieldTable): string {
  return table(
    ['field', 'holds'],
    Object.entries(fields).map(([name, { docs }]) => [code(name), docs]),
  )
}

/** @param survive what an API or a client must do with what is not to be refused */
function checkTable(checks: readonly CheckTexts[], survive: string): string {
  const levels = { refuse: 'must refuse', survive, advice: 'advice' }
  const rows = checks.map(({ id, title, level, about, fix }) => [
    code(id),
    title,
    levels[level],
    `${about} ${fix}`,
  ])
  return table(['check', 'what is demanded', 'level', 'why, and what to change'], rows)
}

function partyTable(): string {
  const rows = PARTIES.map((party) => {
    const { is, reasons, advice, is_noted, check, alert } = partyOf(party)
    const readers = [
      is_noted && 'noted',
      check && `\`doctor\`: ${check}`,
      alert && `[${alert}](alerts.md#${alert.toLowerCase()})`,
    ]
    return [code(party), is, reasons.map(code).join(', '), code(advice), readers.filter(Boolean).join('; ')]
  })
  return table(['`party`', 'is', 'reasons', 'what to run', 'who reads it'], rows)
}

function apartTable(): string {
  const rows = apartRows().map(({ why, events }) => [events.map((event) => `\`${event}\``).join(', '), why])
  return table(['events', 'why'], rows)
}

function ocsfTable(): string {
  const rows = ocsfRows().map(({ class_uid, class_name, activity_id, is_failure, events }) => [
    `${class_uid} ${class_name}`,
    String(activity_id),
    is_failure ? 'failure' : 'success',
    events.map(code).join(', '),
  ])
  return table(['class', 'activity_id', 'status', 'events'], rows)
}

function problemTable(): string {
  const rows = Object.entries(PROBLEMS).map(([name, { status, title }]) => [
    code(name),
    String(status),
    title,
  ])
  return table(['code', 'status', 'title'], rows)
}

function reasonTable(): string {
  const rows = Object.entries(REASONS).map(([reason, step]) => {
    const { what, advice } = textOf(reason as Reason, 'en')
    return [code(reason), code(step), what, advice]
  })
  return table(['reason', 'step', 'when', 'what to do'], rows)
}

function eventTable(): string {
  const rows = Object.entries(EVENTS).map(([event, { level, when, fields }]) => [
    code(event),
    level,
    when,
    fields.map(code).join(', '),
  ])
  return table(['event', 'level', 'when', 'fields'], rows)
}

/** The table of the errors at one place. It has columns for what its rows have. */
function errorTable(place: ErrorRow['at']): string {
  const found = Object.entries<readonly ErrorRow[]>(ERRORS).flatMap(([error, rows]) =>
    rows.filter(({ at }) => at === place).map((row) => ({ error: code(error), ...row })),
  )
  const columns = (['error', 'status', 'when', 'what_to_do'] as const).filter((name) =>
    found.some((row) => row[name] !== undefined),
  )
  return table(
    columns.map((name) => name.replaceAll('_', ' ')),
    found.map((row) => columns.map((name) => String(row[name] ?? ''))),
  )
}
