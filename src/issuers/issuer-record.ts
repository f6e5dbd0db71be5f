import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import { ISSUER_FIELDS } from './issuer-fields.ts'
import { issuerProblem } from './issuer-url.ts'

/** An issuer whose assertions are accepted (RFC 7521). */
export interface Issuer extends RecordOf<typeof ISSUER_FIELDS> {}

/** An issuer to be written; fields that have a default are optional. */
export interface IssuerDefinition extends DefinitionOf<typeof ISSUER_FIELDS> {}

/** Parses the record of an issuer. One problem in any field makes the whole record malformed. */
export function parseIssuer(url: string, hash: Hash): Parsed<Issuer> {
  return parseFields(ISSUER_FIELDS, { ...hash, issuer: hash.issuer || url }, ({ issuer, jwks }, fields) => {
    const problem = issuerProblem(url)
    if (problem !== undefined) fields.fail('issuer', problem)
    if (issuer !== url) fields.fail('issuer', 'differs from the name in the key')
    if (jwks !== undefined && fields.optional('jwks_uri') !== undefined) {
      fields.fail('jwks', 'and jwks_uri exclude each other')
    }
  })
}

/** Formats an issuer for storage. */
export function formatIssuer(issuer: IssuerDefinition): Hash {
  return formatFields(ISSUER_FIELDS, issuer)
}
