/** Times in milliseconds that so many of 100 answers take at most. */
export interface Latency {
  readonly p50: number
  readonly p95: number
}

/** What a server with keys says of itself. */
export interface ExaminedServer {
  /** Its address, or its socket. */
  name: string
  /** Whether the connection leaves this machine. */
  remote: boolean
  /** The lines of INFO; undefined: not permitted. */
  info: ReadonlyMap<string, string> | undefined
  /** The setting `save`; undefined: CONFIG is not permitted. */
  save: string | undefined
  /** How long half of some answers take at most, and 95 of 100, in milliseconds. */
  latency: Latency
  /** By how many milliseconds its clock is ahead of the given one; undefined: TIME is not permitted. */
  clock_ahead: number | undefined
  /** When its TLS certificate expires; undefined: no TLS. */
  certificate_until: Date | undefined
  /** The commands and keys that its user lacks a right to. */
  missing_rights: readonly string[]
}
