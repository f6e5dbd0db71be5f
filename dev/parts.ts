import type { Faults } from './control/faults/faults.ts'
import type { RequestLog } from './control/log/request-log.ts'
import type { SeenMails } from './control/mails/seen-mails.ts'
import type { ServerParts } from './server-parts.ts'

/** What a server for development is made of. */
export interface DevParts extends ServerParts {
  readonly faults: Faults
  readonly log: RequestLog
  readonly mails: SeenMails
  /** What requests at `/dev/` prove themselves with. */
  readonly control_token: string
}
