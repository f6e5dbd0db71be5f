import { availableParallelism } from 'node:os'
import type { Static } from '@sinclair/typebox'
import { isLoopbackHost } from '../core/uri.ts'
import { brandProblems } from './brand.ts'
import { ConfigError } from './config-error.ts'
import {
  type Environment,
  type LowerCase,
  lowerCase,
  MAX_SIGNED_TOKEN_TTL,
  SETTING_VARIABLES,
} from './environment.ts'
import { readEnvironment } from './read-environment.ts'
import { readScopeTexts, type ScopeTexts } from './scope-texts.ts'

type Variables = LowerCase<Static<typeof SETTING_VARIABLES>>

/** Settings whose type differs from that of the variable, or whose default depends on something else. */
interface Exceptions {
  /** Default: `http://localhost` with the port. */
  issuer: string
  /** Default: true with storage in memory, except with NODE_ENV=production. */
  demo: boolean
  /** Default: half of the cores; the others serve signed-in users. */
  argon2_concurrency: number
  scope_texts: ScopeTexts
  /** 32 bytes. */
  key_encryption_key?: Uint8Array
}

/** The settings of the protocol. SETTING_VARIABLES describes the fields. */
export interface Settings extends Omit<Variables, keyof Exceptions>, Exceptions {}

/** Reads the settings from the variables, and adds a line to `problems` for each invalid one. */
export function readSettings(env: Environment, in_memory: boolean, problems: string[]): Settings {
  const { scope_texts, key_encryption_key, ...variables } = lowerCase(SETTING_VARIABLES, env)
  const production = env.NODE_ENV === 'production'
  const settings = {
    ...variables,
    issuer: variables.issuer ?? `http://localhost:${env.PORT}`,
    demo: variables.demo ?? (in_memory && !production),
    argon2_concurrency: variables.argon2_concurrency ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    scope_texts: readScopeTexts(scope_texts, problems),
    ...(key_encryption_key === undefined
      ? {}
      : { key_encryption_key: Buffer.from(key_encryption_key, 'base64') }),
  }
  if (env.PORT === 0 && env.ISSUER === undefined) problems.push('ISSUER must be set if PORT is 0')
  if (settings.demo && production) problems.push('DEMO must not be true with NODE_ENV=production')
  problems.push(...settingProblems(settings).map(([field, problem]) => `${field.toUpperCase()} ${problem}`))
  return settings
}

/**
 * Completes some given settings with the defaults of the environment variables.
 * @throws ConfigError that lists all problems
 */
export function completeSettings(given: Partial<Settings> & { issuer: string }): Settings {
  const defaults = readSettings(readEnvironment({}, []), true, [])
  const settings = { ...defaults, demo: false, ...given }
  const problems = settingProblems(settings).map(([field, problem]) => `${field} ${problem}`)
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}

// Rules that the schema of the environment cannot express, and those for settings that do not come from it.
function settingProblems(settings: Settings): [field: keyof Settings, problem: string][] {
  const problems: [keyof Settings, string][] = [...brandProblems(settings)]
  const issuer_problem = issuerProblem(settings.issuer)
  if (issuer_problem !== undefined) problems.unshift(['issuer', issuer_problem])
  // A retired signing key is published for no longer than this.
  for (const field of ['access_token_ttl', 'id_token_ttl'] as const) {
    if (settings[field] > MAX_SIGNED_TOKEN_TTL) problems.push([field, `must be <= ${MAX_SIGNED_TOKEN_TTL}`])
  }
  return problems
}

// RFC 8414 §2: an https URL without query and fragment. A path is refused because redmint does not support it.
function issuerProblem(issuer: string): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url === undefined || url.origin !== issuer) {
    return 'must be an origin without path, query and trailing slash: https://auth.example.com'
  }
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) return undefined
  return url.protocol === 'https:' ? undefined : 'must be https unless its host is loopback (RFC 8414 §2)'
}
