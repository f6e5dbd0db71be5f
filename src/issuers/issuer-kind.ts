import type { Kind } from '../storage/records.ts'
import { formatIssuer, type Issuer, parseIssuer } from './issuer-record.ts'

/** Trusted issuers, by their URL. */
export const ISSUER: Kind<Issuer> = {
  name: 'issuer',
  by_operators: true,
  listed: true,
  format: formatIssuer,
  parse: (hash, url) => parseIssuer(url, hash),
}
