import { invalidRequest } from '../core/errors.ts'
import { parseObject } from '../core/json.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import type { FileReply } from '../pages/file-reply.ts'
import type { ShownCodes } from '../pages/second-step.ts'
import type { SecondStepContext } from './totp.ts'

/** What it takes to make a file of recovery codes. */
type FileContext = Pick<SecondStepContext, 'sealer' | 'now'> & {
  readonly settings: SecondStepContext['settings'] & Parameters<typeof pathAt>[0]
}

const HALF_HOUR = 30 * 60_000

/**
 * Returns what a page has of new recovery codes. They are kept nowhere: the form for the file sends them back, sealed, so
 * that no address and no list of downloads has them, and nobody makes this service send a file with another text.
 * @throws StorageUnavailable, as Sealer.seal
 */
export function shownCodes(context: FileContext, username: string, codes: readonly string[]): ShownCodes {
  const { settings, sealer, now } = context
  const kept = { username, codes, ends_at: now() + HALF_HOUR }
  return {
    codes,
    sealed: sealer.seal('recovery-codes', JSON.stringify(kept)),
    file: pathAt(settings, PATHS.recovery_codes),
  }
}

/**
 * Returns the file of the codes that a page sends back.
 * @throws OAuthError `invalid_request` if this service sealed no codes, or more than half an hour ago;
 * StorageUnavailable, as Sealer.open
 */
export function recoveryFile({ settings, sealer, now }: FileContext, sealed: string): FileReply {
  const kept = parseObject(sealer.open('recovery-codes', sealed) ?? '')
  if (kept === undefined || !(Number(kept.ends_at) > now()) || !Array.isArray(kept.codes))
    throw invalidRequest(
      'browser_request_ended',
      'the codes are not those of a page, or older than half an hour',
      { received: { fault: 'codes of no page, or too old' } },
    )
  const { service_name, issuer } = settings
  const text = [`${service_name} (${issuer})`, kept.username, '', ...kept.codes, ''].join('\r\n')
  return { to: 'file', name: 'recovery-codes.txt', media_type: 'text/plain', text }
}
