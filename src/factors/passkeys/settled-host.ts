import type { Settings } from '../../config/settings.ts'
import { FieldReader } from '../../core/record-hash.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { PASSKEY_OWNER } from './passkey-owner.ts'
import { relyingParty } from './relying-party.ts'

/** The host for which passkeys were made. */
interface SettledHost {
  readonly host: string
}

/** The host for which passkeys were made, from the first one on: `passkey-host:all`. */
const PASSKEY_HOST: Kind<SettledHost> = {
  name: 'passkey-host',
  format: ({ host }) => ({ host }),
  parse(hash) {
    const reader = new FieldReader(hash)
    const host = reader.required('host')
    return reader.problems.length > 0
      ? { ok: false, problems: reader.problems }
      : { ok: true, record: { host } }
  },
}
const ID = 'all'

interface HostContext {
  readonly storage: RecordStore
  readonly settings: Pick<Settings, 'issuer'>
}

/** Notes the host of the issuer, if none is noted. @throws StorageUnavailable */
export async function noteHost({ storage, settings }: HostContext): Promise<void> {
  await storage.records.create(write(PASSKEY_HOST, ID, { host: relyingParty(settings).id }))
}

/** Returns the host for which passkeys were made; undefined: there are none yet. @throws StorageUnavailable */
export async function settledHost({ storage }: Pick<HostContext, 'storage'>): Promise<string | undefined> {
  return recordOf(await storage.records.read(PASSKEY_HOST, ID))?.host
}

/** The passkeys were made for another host than that of the issuer: browsers offer none of them any more. */
export class PasskeysOfAnotherHost extends Error {
  constructor(host: string, issuer_host: string, count: number) {
    super(
      `The issuer has the host ${issuer_host}, but ${count === 1 ? 'a passkey was' : `${count} passkeys were`} made for ${host}, and can be used there only. ` +
        `Give the issuer its former host; or set PASSKEYS_MOVED_FROM=${host} if they may be lost, and people sign in otherwise; or PASSKEYS=off.`,
    )
    this.name = 'PasskeysOfAnotherHost'
  }
}

/** What it takes to check the host. */
interface CheckContext extends HostContext {
  readonly settings: Pick<Settings, 'issuer' | 'passkeys_moved_from'>
}

/**
 * Checks, when the server starts, that passkeys are for the host of the issuer, and notes the new host if their loss is
 * accepted, or if there are none. While storage is away nothing is checked: browsers hold back passkeys of another host.
 * @throws PasskeysOfAnotherHost
 */
export async function checkHost(context: CheckContext): Promise<void> {
  try {
    await compareHosts(context)
  } catch (error) {
    // Storage says why it is away.
    if (!(error instanceof StorageUnavailable)) throw error
  }
}

async function compareHosts({ storage, settings }: CheckContext): Promise<void> {
  const { records } = storage
  const { id: issuer_host } = relyingParty(settings)
  const host = await settledHost({ storage })
  if (host === undefined || host === issuer_host) return
  if (settings.passkeys_moved_from !== host) {
    const counted = new Set<string>()
    for await (const { id } of records.scan(PASSKEY_OWNER)) counted.add(id)
    if (counted.size > 0) throw new PasskeysOfAnotherHost(host, issuer_host, counted.size)
  }
  await records.put(write(PASSKEY_HOST, ID, { host: issuer_host }))
}
