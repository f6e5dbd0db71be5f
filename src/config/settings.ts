import { availableParallelism } from 'node:os'
import type { Static } from '../core/schema.ts'
import { isScopeToken, scopeNames } from '../core/scope.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/signing-algs.ts'
import { isLoopbackAddress, isLoopbackHost } from '../core/uri.ts'
import { brandProblems } from './brand.ts'
import { type ClientHosts, readClientHosts, readHosts } from './client-hosts.ts'
import { ConfigError } from './config-error.ts'
import {
  type Environment,
  isProduction,
  type LowerCase,
  lowerCase,
  MAX_SIGNED_TOKEN_TTL,
  SETTING_VARIABLES,
} from './environment.ts'
import { linkProblems } from './page-links.ts'
import { readEnvironment } from './read-environment.ts'
import { readScopeClaims, type ScopeClaims } from './scope-claims.ts'
import { readScopeTexts, type ScopeTexts } from './scope-texts.ts'

const DEMO_RISK = 'in demo mode anyone can sign in as anyone'

/** What demo mode depends on besides the settings. */
interface Server {
  readonly production: boolean
  /** The address to listen on. */
  readonly host: string
}

// A host application listens itself.
const HOST_APPLICATION: Server = { production: false, host: 'localhost' }

type Variables = LowerCase<Static<typeof SETTING_VARIABLES>>

/** Settings whose type differs from that of the variable, or whose default depends on something else. */
interface Exceptions {
  /** Default: `http://localhost` with the port. */
  issuer: string
  /**
   * Whether anyone signs in as anyone: `true` for an issuer on loopback, `public` for any. Default: true with storage in
   * memory, and issuer and HOST on loopback, except in production.
   */
  demo: boolean | 'public'
  /** Default: half of the cores, divided among the workers; the others serve signed-in users. */
  argon2_concurrency: number
  signing_algs: readonly SigningAlg[]
  scope_texts: ScopeTexts
  scope_claims: ScopeClaims
  self_registered_scopes: readonly string[]
  client_id_metadata: ClientHosts
  /** Default: none. */
  client_id_metadata_deny: readonly string[]
  /** Host names, with a port that is not 443. */
  issuer_private_hosts: readonly string[]
  /**
   * The addresses and CIDR blocks of the proxies that pass on client certificates; default: TRUSTED_PROXIES. Another
   * application that has redmint as a plugin names them here.
   */
  client_certificate_proxies: readonly string[]
  /** 32 bytes. */
  key_encryption_key?: Uint8Array
}

/** The settings of the protocol. SETTING_VARIABLES describes the fields. */
export interface Settings extends Omit<Variables, keyof Exceptions>, Exceptions {}

/** Reads the settings from the variables, and adds a line to `problems` for each invalid one. */
export function readSettings(env: Environment, in_memory: boolean, problems: string[]): Settings {
  const {
    signing_algs,
    scope_texts,
    scope_claims,
    self_registered_scopes,
    issuer_private_hosts,
    key_encryption_key,
    ...variables
  } = lowerCase(SETTING_VARIABLES, env)
  const { client_id_metadata: hosts, client_id_metadata_deny: denied } = variables
  const server = { production: isProduction(env.NODE_ENV), host: env.HOST }
  const issuer = variables.issuer ?? new URL(`http://localhost:${env.PORT}`).origin
  const settings = {
    ...variables,
    issuer,
    demo:
      readDemo(variables.demo) ?? (in_memory && demoProblem({ demo: true, issuer }, server) === undefined),
    argon2_concurrency:
      variables.argon2_concurrency ??
      Math.min(3, Math.max(1, Math.floor(availableParallelism() / 2 / env.WORKERS))),
    signing_algs: readSigningAlgs(signing_algs, problems),
    scope_texts: readScopeTexts(scope_texts, problems),
    scope_claims: readScopeClaims(scope_claims, problems),
    self_registered_scopes: readSelfRegisteredScopes(self_registered_scopes, problems),
    client_id_metadata: readClientHosts(hosts, problems),
    client_id_metadata_deny: readHosts('CLIENT_ID_METADATA_DENY', denied, problems),
    issuer_private_hosts: readPrivateHosts(issuer_private_hosts ?? '', problems),
    client_certificate_proxies: readProxies(env.TRUSTED_PROXIES),
    ...(key_encryption_key === undefined
      ? {}
      : { key_encryption_key: Buffer.from(key_encryption_key, 'base64') }),
  }
  if (env.PORT === 0 && env.ISSUER === undefined) problems.push('ISSUER must be set if PORT is 0')
  problems.push(
    ...settingProblems(settings, server).map(([field, problem]) => `${field.toUpperCase()} ${problem}`),
  )
  return settings
}

/**
 * Completes some given settings with the defaults of the environment variables.
 * @throws ConfigError that lists all problems
 */
export function completeSettings(given: Partial<Settings> & { issuer: string }): Settings {
  const defaults = readSettings(readEnvironment({}, []), true, [])
  const settings = { ...defaults, demo: false, ...given }
  const problems = settingProblems(settings, HOST_APPLICATION).map(
    ([field, problem]) => `${field} ${problem}`,
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}

// Rules that the schema of the environment cannot express, and those for settings that do not come from it.
function settingProblems(settings: Settings, server: Server): [field: keyof Settings, problem: string][] {
  const problems: [keyof Settings, string][] = [...brandProblems(settings), ...linkProblems(settings)]
  const issuer_problem = issuerProblem(settings.issuer)
  if (issuer_problem !== undefined) problems.unshift(['issuer', issuer_problem])
  const demo_problem = demoProblem(settings, server)
  if (demo_problem !== undefined) problems.push(['demo', demo_problem])
  problems.push(...certificateProblems(settings))
  for (const field of ['access_token_alg', 'id_token_alg'] as const) {
    const alg = settings[field]
    if (!settings.signing_algs.includes(alg)) {
      const listed = settings.signing_algs.join(',')
      problems.push([field, `is ${alg}, which is not in SIGNING_ALGS (${listed}): change one of the two`])
    }
  }
  // A retired signing key is published for no longer than this.
  for (const field of ['access_token_ttl', 'id_token_ttl'] as const) {
    if (settings[field] > MAX_SIGNED_TOKEN_TTL)
      problems.push([field, `must be ${MAX_SIGNED_TOKEN_TTL} or less`])
  }
  return problems
}

/** Splits TRUSTED_PROXIES into its addresses and CIDR blocks. */
export function readProxies(text = ''): readonly string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim())
}

// RFC 9440 §3: whoever can send the header is every client that has a certificate.
function certificateProblems(settings: Settings): [field: keyof Settings, problem: string][] {
  const { client_certificate_secret, client_certificate_proxies, mtls_origin, issuer } = settings
  const problems: [keyof Settings, string][] = []
  if (client_certificate_secret !== undefined && client_certificate_proxies.length === 0) {
    problems.push(['client_certificate_secret', 'needs TRUSTED_PROXIES, the proxies that send it: set both'])
  }
  if (mtls_origin === undefined) return problems
  if (client_certificate_secret === undefined) {
    problems.push(['mtls_origin', 'needs CLIENT_CERTIFICATE_SECRET: set it, or remove MTLS_ORIGIN'])
  }
  const { origin, protocol } = URL.canParse(mtls_origin) ? new URL(mtls_origin) : {}
  if (origin !== mtls_origin || protocol !== 'https:' || origin === issuer) {
    problems.push([
      'mtls_origin',
      'must be an https origin other than the issuer, without path, query and trailing slash: https://mtls.auth.example.com',
    ])
  }
  return problems
}

function readSigningAlgs(text: string, problems: string[]): readonly SigningAlg[] {
  const given = text.split(',').map((name) => name.trim())
  if (given.every((name) => SIGNING_ALGS.some((alg) => alg === name)))
    return SIGNING_ALGS.filter((alg) => given.includes(alg))
  problems.push(`SIGNING_ALGS must be a list of ${SIGNING_ALGS.join(', ')}, separated by commas`)
  return SIGNING_ALGS
}

function readSelfRegisteredScopes(text: string, problems: string[]): readonly string[] {
  const names = scopeNames(text)
  const wrong = names.filter((name) => !isScopeToken(name))
  for (const name of wrong) {
    problems.push(
      `SELF_REGISTERED_SCOPES has ${JSON.stringify(name)}, which is not a scope name (RFC 6749 §3.3)`,
    )
  }
  return names
}

function readPrivateHosts(text: string, problems: string[]): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim())
  if (text === '') return []
  const isHost = (host: string) => URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host
  if (!hosts.every(isHost)) {
    problems.push(
      'ISSUER_PRIVATE_HOSTS must be a list of hosts, such as kubernetes.default.svc, separated by commas',
    )
  }
  return hosts
}

function readDemo(demo: Variables['demo']): Settings['demo'] | undefined {
  return demo === undefined || demo === 'public' ? demo : demo === 'true'
}

// In demo mode anyone signs in as anyone, so it must not serve a real issuer by accident.
function demoProblem(
  { demo, issuer }: Pick<Settings, 'demo' | 'issuer'>,
  { production, host }: Server,
): string | undefined {
  if (demo === false) return undefined
  if (production) return `must be false with NODE_ENV=production: ${DEMO_RISK}`
  if (demo === 'public') return undefined
  const outside = [
    ...(isLoopbackAddress(host) ? [] : ['HOST']),
    ...(URL.canParse(issuer) && !isLoopbackHost(new URL(issuer).hostname) ? ['the issuer'] : []),
  ]
  if (outside.length === 0) return undefined
  const reason = `${outside.join(' and ')} ${outside.length === 1 ? 'is' : 'are'} not on loopback`
  return `must be false, or public for a public demonstration: ${reason}, and ${DEMO_RISK}`
}

// RFC 8414 §2: an https URL without query and fragment. A path is refused because redmint does not support it.
function issuerProblem(issuer: string): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url === undefined || url.origin !== issuer) {
    const origin = /^https?:$/.test(url?.protocol ?? '') ? url?.origin : undefined
    const instead = origin === undefined ? ': https://auth.example.com' : `, in its canonical form: ${origin}`
    return `must be an origin without path, query and trailing slash${instead}`
  }
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) return undefined
  return url.protocol === 'https:' ? undefined : 'must be https unless its host is loopback (RFC 8414 §2)'
}
