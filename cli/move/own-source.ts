import { hasPasskey, withoutPasskeys } from '../../src/factors/moved-factors.ts'
import { relyingParty } from '../../src/factors/passkeys/relying-party.ts'
import { settledHost } from '../../src/factors/passkeys/settled-host.ts'
import type { CommandContext } from '../command-context.ts'
import { UsageError } from '../errors.ts'
import type { Incoming, Source } from './import.ts'
import type { Content } from './kind.ts'
import { type FileRecord, type MoveHeader, recordsOf } from './move-file.ts'
import type { FileSealer } from './passphrase.ts'

/** Returns the records of an export of redmint, for the installation of the command. */
export async function ownSource(
  context: CommandContext,
  path: string,
  header: MoveHeader,
  sealer: FileSealer | undefined,
  without_passkeys: boolean,
): Promise<Source> {
  const passkeys = without_passkeys ? 'dropped' : await passkeysFit(context, header)
  return async function* () {
    for await (const record of recordsOf(path, sealer)) yield incoming(record, passkeys)
  }
}

/** What to do with passkeys: they are imported, left out, or refused for this reason. */
type Passkeys = 'kept' | 'dropped' | { readonly problem: string }

/** Passkeys are for one host (WebAuthn Level 3 §5.1.3, rpId). @throws UsageError if the host of the issuer is not known */
async function passkeysFit(
  { storage, config, guesses_issuer }: CommandContext,
  { passkey_host }: MoveHeader,
): Promise<Passkeys> {
  if (passkey_host === undefined)
    return { problem: 'has passkeys, and the file does not say for which host they are' }
  const settled = await settledHost({ storage })
  if (settled === undefined && guesses_issuer)
    throw new UsageError(
      `The file has passkeys for ${passkey_host}: set ISSUER, which says whether they can be used here.`,
    )
  const host = settled ?? relyingParty(config.settings).id
  if (host === passkey_host) return 'kept'
  return {
    problem: `has passkeys for ${passkey_host}, which cannot be used at ${host}: give ISSUER that host, or leave them out with --without-passkeys`,
  }
}

function incoming({ line, kind, id, content, problems }: FileRecord, passkeys: Passkeys): Incoming {
  const record: Incoming = { place: `line ${line}`, ...(kind && { kind }), id, content, problems }
  const { factors } = content
  if (factors === undefined || problems.length > 0 || passkeys === 'kept' || !hasPasskey(factors))
    return record
  if (passkeys === 'dropped') return { ...record, content: dropPasskeys(content, factors) }
  return { ...record, problems: [passkeys.problem] }
}

function dropPasskeys(
  { factors: _all, ...content }: Content,
  factors: NonNullable<Content['factors']>,
): Content {
  const kept = withoutPasskeys(factors)
  return kept === undefined ? content : { ...content, factors: kept }
}
