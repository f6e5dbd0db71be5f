import { readSmtpServer } from '../config/mail-settings.ts'
import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { hasPasswords } from '../config/sign-in-ways.ts'
import { count } from '../core/count.ts'
import type { DoctorCheck } from '../service/check.ts'
import { type Finding, findingsOf, readable } from '../service/finding.ts'
import type { Storage } from '../storage/storage.ts'
import { listMails } from './mail-queue.ts'

/** In milliseconds: somebody waits for the page. */
const TIMING = { connect: 3000, silence: 3000, total: 5000 }
/** How many mails are looked at. */
const LOOKED_AT = 200
/** From how many attempts on a mail that waits is one that fails. */
const FAILING = 3

/** Returns the findings about mail: whether the SMTP server takes it, and what waits. @throws StorageUnavailable */
export async function mailFindings(
  storage: Pick<Storage, 'queue'>,
  settings: Settings,
  ca?: string,
): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('SMTP server')
  const server = readSmtpServer(settings)
  if (server === undefined) return [isOfUse(settings) ? warning(NO_MAIL, SET_IT) : ok(NO_MAIL)]
  const { whyNoMail } = await import('./smtp.ts')
  const why = await whyNoMail(server, { timing: TIMING, ...(ca !== undefined && { ca }) })
  const reached = `${server.host}:${server.port}`
  const first =
    why === undefined
      ? ok(`${reached} takes mail`)
      : problem(`${reached} takes no mail: ${why}`, 'Look at SMTP_URL and SMTP_TLS, and at that server.')
  return [first, await waiting(storage)]
}

const NO_MAIL = 'SMTP_URL is not set: nobody gets an invitation, a link to a new password or a notice by mail'
const SET_IT =
  'Set SMTP_URL and MAIL_FROM in all servers, then redmint mail test you@example.com (docs/mail.md).'

/** Whether people have something at redmint that they may lose. */
const isOfUse = (settings: Settings): boolean =>
  settings.forgot_password_url === undefined && (hasPasswords(settings) || hasOnlyPasskeys(settings))

async function waiting(storage: Pick<Storage, 'queue'>): Promise<Finding> {
  const { ok, warning } = findingsOf('mail')
  const mails = await listMails(storage, LOOKED_AT)
  const refused = mails.filter(({ state }) => state === 'refused').length
  const failing = mails.filter(({ state, attempts }) => state === 'waiting' && attempts >= FAILING).length
  if (refused + failing > 0) {
    const found = `${count(refused, 'mail')} refused, ${count(failing, 'mail')} tried ${FAILING} times or more`
    return warning(found, 'redmint mail list says what the server answered.')
  }
  return ok(mails.length === 0 ? 'none waits' : `${count(mails.length, 'mail')} on the way`)
}

/** The checks of mail. */
export const MAIL_CHECKS: readonly DoctorCheck[] = [
  {
    names: ['SMTP server', 'mail'],
    outside: true,
    look: ({ storage, settings }) => readable(() => mailFindings(storage, settings), 'mail'),
  },
]
