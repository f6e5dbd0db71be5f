import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import { issuerProblem } from '../issuers/issuer-url.ts'
import type { Kind } from '../storage/records.ts'
import { namedWords } from '../storage/words.ts'
import { APPLICATION_FIELDS } from './application-fields.ts'
import { idHere } from './named-client.ts'

/**
 * An authorization server elsewhere that takes identity assertions of this one
 * (draft-ietf-oauth-identity-assertion-authz-grant): what is said to it, of whom, and to which clients.
 */
export interface Application extends RecordOf<typeof APPLICATION_FIELDS> {}

/** A server elsewhere to be written; fields that have a default are optional. */
export interface ApplicationDefinition extends DefinitionOf<typeof APPLICATION_FIELDS> {}

/** Parses the record of a server elsewhere. One problem in any field makes the whole record malformed. */
export function parseApplication(hash: Hash, url: string): Parsed<Application> {
  const given = { ...hash, application: hash.application || url }
  return parseFields(APPLICATION_FIELDS, given, ({ application, clients = [] }, fields) => {
    const problem = issuerProblem(url)
    if (problem !== undefined) fields.fail('application', problem)
    if (application !== url) fields.fail('application', 'differs from the name in the key')
    const named = clients.map(idHere)
    if (new Set(named).size < named.length) fields.fail('clients', 'names a client twice')
  })
}

/** Formats a server elsewhere for storage. */
export function formatApplication(application: ApplicationDefinition): Hash {
  return formatFields(APPLICATION_FIELDS, application)
}

/** Authorization servers elsewhere, by their issuers. */
export const APPLICATION: Kind<Application> = {
  name: 'application',
  by_operators: true,
  listed: true,
  words: namedWords('application_name'),
  format: formatApplication,
  parse: parseApplication,
}
