// What a package or an image must not hold.
import { NEW_PASSWORD, PASSWORD } from '../accounts.ts'
import { KEY } from '../outbound/self-signed.ts'
import { SECRET, VERIFIER } from '../service.ts'

const BASE64URL = '[A-Za-z0-9_-]'

/** What a secret looks like, by its name. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s|\\n|\\r)+[A-Za-z0-9+/]{40}/,
  'a private key as a JWK': new RegExp(`"d"\\s*:\\s*"${BASE64URL}{40,}"`),
  'a token of redmint': new RegExp(`(?<!${BASE64URL})${BASE64URL}{16}\\.${BASE64URL}{43}(?!${BASE64URL})`),
  'a JWT': new RegExp(`eyJ${BASE64URL}{10,}\\.eyJ${BASE64URL}{10,}\\.${BASE64URL}{20,}`),
  'a token of a registry, a forge or a cloud':
    /\b(?:npm_[A-Za-z0-9]{36}|gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{60,}|AKIA[A-Z0-9]{16}|xox[abp]-[\w-]{20,})\b/,
}

/** What the tests know. The verifier of RFC 7636 is no secret. */
const KNOWN = [SECRET, PASSWORD, NEW_PASSWORD, VERIFIER, KEY.trim().split('\n')[1] ?? KEY]

/** Files that hold secrets where they are, or what only their owner needs. */
const FILES = /(?:^|\/)(?:\.env.*|\.npmrc|\.git.*|id_\w+|.*\.(?:pem|key|p12|pfx|rdb|aof|map|log))$/

/** Returns what a file has that it must not have; nothing if it may go to strangers. */
export function secretsIn(path: string, text: string): string[] {
  const found = Object.entries(SHAPES).flatMap(([name, shape]) => (shape.test(text) ? [name] : []))
  if (FILES.test(path)) found.push('a file of secrets')
  if (KNOWN.some((one) => text.includes(one))) found.push('a secret of the tests')
  return found.map((name) => `${path}: ${name}`)
}
