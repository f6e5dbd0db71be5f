import { USER_FIELDS } from '../../src/accounts/user-fields.ts'
import { CLIENT_FIELDS } from '../../src/clients/client-fields.ts'
import { EVENTS } from '../../src/core/events.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { code, type MakePart, table } from './page.ts'
import { makeSettings } from './settings.ts'
import { variablesOf } from './variables.ts'

/** The parts of pages that stand in the code, by the names in their marks. */
export const PARTS: Readonly<Record<string, MakePart>> = {
  settings: makeSettings,
  'fields of clients': () => fieldsOf(CLIENT_FIELDS),
  'fields of users': () => fieldsOf(USER_FIELDS),
  'fields of resources': () => fieldsOf(RESOURCE_FIELDS),
  'fields of issuers': () => fieldsOf(ISSUER_FIELDS),
  'security events': eventTable,
  'variables of the process': () => variablesOf('process'),
  'variables of Redis': () => variablesOf('redis'),
  'variables of the service': () => variablesOf('service'),
}

function fieldsOf(fields: FieldTable): string {
  return table(
    ['field', 'holds'],
    Object.entries(fields).map(([name, { docs }]) => [code(name), docs]),
  )
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
