import type { Kind } from '../storage/records.ts'
import { namedWords } from '../storage/words.ts'
import { formatIssuer, type Issuer, parseIssuer } from './issuer-record.ts'

/** Trusted issuers, by their URL. */
export const ISSUER: Kind<Issuer> = {
  name: 'issuer',
  by_operators: true,
  listed: true,
  words: namedWords(),
  format: formatIssuer,
  parse: (hash, url) => parseIssuer(url, hash),
}
