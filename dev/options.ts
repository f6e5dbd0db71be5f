import { isIP } from 'node:net'
import type { PresetName } from '../src/admin/connect/presets.ts'
import { ConfigError } from '../src/config/config-error.ts'
import type { Settings } from '../src/config/settings.ts'
import { isPrivateName } from '../src/core/dev-mode.ts'
import { isLoopbackAddress, isLoopbackHost } from '../src/core/uri.ts'
import type { Seed } from './seed.ts'

/** What a server for development is started with. */
export interface StartOptions {
  /** Default: a free one. */
  readonly port?: number
  /**
   * The host in the issuer: `localhost`, a loopback address, or a name that only a private network has, such as `auth` in
   * a network of containers. Default: `localhost`.
   */
  readonly host?: string
  /** Whether other machines reach it, which listens on all addresses then. Default: false. */
  readonly expose?: boolean
  /** A Redis that no server uses, as REDIS_URL. Default: memory. */
  readonly redis?: string
  /** What the keys in that Redis begin with. Default: `redmint:`. */
  readonly redis_key_prefix?: string
  /** What there is besides the records of demo mode: an object, or the text of a file for `redmint apply`. */
  readonly seed?: Seed | string
  /** The framework whose client there is besides, and whose settings are told to paste: a name of `client add --for`. */
  readonly for?: PresetName
  /** Where the application of `for` runs. Default: `http://localhost:3001`. */
  readonly origin?: string
  /** Settings, as the plugin takes them. */
  readonly settings?: Partial<Settings>
  /** A log level of pino. Default: `silent`. */
  readonly log_level?: string
  /** What requests at `/dev/` prove themselves with. Default: a random one. */
  readonly control_token?: string
}

/** Where a server for development listens, and what its issuer is. */
export interface DevPlace {
  readonly listens_at: string
  issuerAt(port: number): string
  readonly demo: true | 'private'
}

/**
 * Returns where to listen.
 * @param environment that of the process: one of production is refused
 * @throws ConfigError that lists all problems
 */
export function placeOf(
  { host = 'localhost', expose = false, port = 0 }: StartOptions,
  environment: Readonly<Record<string, string | undefined>>,
): DevPlace {
  const problems: string[] = []
  if (environment.NODE_ENV?.trim().toLowerCase() === 'production') {
    problems.push(
      'NODE_ENV is production: a server for development gives anybody any token. Use redmint serve.',
    )
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push('port must be from 0 to 65535')
  const is_local = isLoopbackHost(bracketed(host))
  const unexposed =
    'other machines reach it there, and whoever reaches it gets any token: add --expose (expose: true)'
  if (isAnyAddress(host)) {
    problems.push(
      expose
        ? `host is ${host}, which nobody can open: name the host by which others reach it, such as --host auth`
        : `host is ${host}: ${unexposed}, and name the host by which others reach it, such as --host auth`,
    )
  } else if (!is_local && (isIP(host) > 0 || !isPrivateName(host))) {
    problems.push(
      `host is ${host}, which is neither on loopback nor a name of a private network: localhost, auth, auth.internal, auth.test`,
    )
  } else if (!is_local && !expose) problems.push(`host is ${host}: ${unexposed}`)
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    // Addresses of both families lead to localhost.
    listens_at: expose ? '0.0.0.0' : isLoopbackAddress(host) ? host : 'localhost',
    issuerAt: (at) => new URL(`http://${bracketed(host)}:${at}`).origin,
    demo: expose ? 'private' : true,
  }
}

const bracketed = (host: string) => (isIP(host) === 6 ? `[${host}]` : host)
const isAnyAddress = (host: string) => ['0.0.0.0', '::', '[::]'].includes(host)
