import type { Settings } from '../config/settings.ts'
import type { ExaminedServer } from '../storage/examined-server.ts'
import type { Storage } from '../storage/storage.ts'
import type { Finding } from './finding.ts'

/** What is examined. */
export interface ExaminedInstallation {
  readonly storage: Storage
  readonly settings: Settings
  /** Whether the issuer is only the default: nothing says it. */
  readonly guesses_issuer: boolean
  /** Milliseconds since 1970, at this moment: what is read may take minutes. */
  readonly now: () => number
}

/** A look at one thing, and the names of the checks that it makes findings of. */
export interface DoctorCheck {
  readonly names: readonly string[]
  /** It reads all records of a kind, however many there are: for the command on a host, and for no request. */
  readonly reads_all?: true
  /** It asks other servers, which may be slow. */
  readonly outside?: true
  readonly look?: (examined: ExaminedInstallation) => Promise<Finding[]>
  /** Instead of `look`: it is about the servers of Redis. */
  readonly lookAt?: (examined: ExaminedInstallation, servers: readonly ExaminedServer[]) => Promise<Finding[]>
}
