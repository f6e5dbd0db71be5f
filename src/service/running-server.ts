import type { Log } from '../core/log.ts'
import { FieldReader } from '../core/record-hash.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** What servers note for the command, which may run in a shell without their settings. */
interface ServersRecord {
  readonly issuer: string
}

/** There is one record: its id is SERVERS_ID. */
const SERVERS: Kind<ServersRecord> = {
  name: 'servers',
  by_operators: true,
  format: ({ issuer }) => ({ issuer }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const issuer = fields.required('issuer')
    return fields.problems.length > 0
      ? { ok: false, problems: fields.problems }
      : { ok: true, record: { issuer } }
  },
}
const SERVERS_ID = 'settings'

const DAY = 86_400
/** Seconds. */
const TTL = 7 * DAY

interface Options {
  readonly storage: RecordStore
  readonly settings: { readonly issuer: string }
  readonly log: Log
}

/** Keeps the issuer of the servers in storage: written at start, and every day again. */
export class RecordedIssuer {
  readonly #options: Options
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Writes it now and every day. Returns even if storage is unavailable, and then tries again. */
  async start(): Promise<void> {
    const { storage, settings, log } = this.#options
    let wait = DAY
    try {
      await storage.records.put({ ...write(SERVERS, SERVERS_ID, { issuer: settings.issuer }), ttl: TTL })
    } catch (error) {
      wait = 60
      // Storage logs the cause itself.
      if (!(error instanceof StorageUnavailable)) {
        log.error({ err: error }, 'The issuer could not be recorded for the command. Trying again.')
      }
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.start(), wait * 1000).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}

/** Returns the issuer that the servers recorded; undefined if they did not. @throws StorageUnavailable */
export async function readRecordedIssuer({ records }: RecordStore): Promise<string | undefined> {
  return recordOf(await records.read(SERVERS, SERVERS_ID))?.issuer
}
