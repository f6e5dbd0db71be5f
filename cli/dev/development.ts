import type { PresetName } from '../../src/admin/connect/presets.ts'

/** The flags of `redmint dev`. */
export interface DevFlags {
  readonly port: number
  readonly host?: string
  readonly expose?: true
  /** The file of the seed; absent: `redmint.dev.yaml`, if there is one. */
  readonly seed?: string
  readonly redis?: string
  readonly for?: PresetName
  readonly origin?: string
  readonly token?: string
  readonly log_level: string
  /** Whether scripts read what is printed: one line of JSON. */
  readonly json?: true
}

/** How a server is started for checks, and which of them run. */
export interface CheckServerFlags extends Pick<DevFlags, 'port' | 'host' | 'expose' | 'seed'> {
  readonly url: string
  /** The username of a person. */
  readonly user?: string
  /** Ids of checks. */
  readonly skip?: readonly string[]
  readonly only?: readonly string[]
  /** Seconds to wait until something listens at the URL. */
  readonly wait: number
}

/** The flags of `redmint dev check-client`. */
export interface CheckClientFlags extends CheckServerFlags {
  readonly signed_in?: string
  readonly signed_in_text?: string
  /** With a redirect URI: the client that is registered. */
  readonly client?: string
  readonly client_secret?: string
  readonly redirect_uri?: string
}

/** The flags of `redmint dev check-api`. */
export interface CheckApiFlags extends CheckServerFlags {
  readonly method: string
  readonly resource?: string
  readonly scope?: string
  readonly client?: string
}

/** What came of checks, in all forms. */
export interface Checked {
  readonly has_failed: boolean
  readonly text: string
  readonly json: object
  readonly junit: string
  readonly sarif: string
}

/** What the process gives to the commands of `redmint dev`: all that they run, which no other command loads. */
export interface Development {
  /**
   * Serves until a signal says to stop, and prints what to paste.
   * @throws ConfigError, Refusal if it cannot start
   */
  serveDev(flags: DevFlags, print: (text: string) => Promise<void>): Promise<void>
  /** Checks a relying party. @throws RangeError if a check is not known; ConfigError, Refusal if the server cannot start */
  checkClientBy(flags: CheckClientFlags): Promise<Checked>
  /** Checks an API. @throws as checkClientBy */
  checkApiBy(flags: CheckApiFlags): Promise<Checked>
}
