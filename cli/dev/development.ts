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

/** What the process gives to the commands of `redmint dev`: all that they run, which no other command loads. */
export interface Development {
  /**
   * Serves until a signal says to stop, and prints what to paste.
   * @throws ConfigError, Refusal if it cannot start
   */
  serveDev(flags: DevFlags, print: (text: string) => Promise<void>): Promise<void>
}
