import { type Static, Type } from '@sinclair/typebox'
import {
  hasMail,
  type MailParty,
  readSender,
  readSmtpServer,
  type SmtpServer,
} from '../../config/mail-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { type EmailAddress, readEmail } from '../../core/email-address.ts'
import { randomText } from '../../core/token-string.ts'
import { MAIL_KINDS, type MailContent } from '../../mail/mail-kinds.ts'
import { listMails, retryMails } from '../../mail/mail-queue.ts'
import { renderMail } from '../../mail/render-mail.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'

const MAX_LISTED = 500
const ID_BYTES = 16
/** In milliseconds: somebody waits. */
const TEST_TIMING = { connect: 5000, silence: 5000, total: 15_000 }

const Mail = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ enum: [...MAIL_KINDS], description: 'What it is about' }),
    to: Type.String({ description: 'The address' }),
    state: Type.String({
      enum: ['waiting', 'refused'],
      description: '`refused`: the SMTP server refused it for good; it is listed until it ends',
    }),
    attempts: Type.Integer({ description: 'How often it was not delivered' }),
    answer: Type.Optional(
      Type.String({ description: 'What the SMTP server said last; absent: nothing yet' }),
    ),
    created_at: Type.String({ format: 'date-time' }),
    ends_at: Type.String({ format: 'date-time', description: 'When its link ends, and it is dropped' }),
  },
  { $id: 'redmint:Mail', additionalProperties: false },
)

const Mails = Type.Object({ items: Type.Array(Mail) }, { $id: 'redmint:Mails', additionalProperties: false })
export type Mails = Static<typeof Mails>

const Tested = Type.Object(
  {
    sent: Type.Boolean({ description: 'Whether the SMTP server took it' }),
    answer: Type.String({ description: 'What the SMTP server said, or why it said nothing' }),
  },
  { $id: 'redmint:TestedMail', additionalProperties: false },
)
type Tested = Static<typeof Tested>

const Retried = Type.Object(
  { retried: Type.Integer({ description: 'How many are tried again' }) },
  { $id: 'redmint:RetriedMails', additionalProperties: false },
)

const list = operation({
  name: 'list_mails',
  summary: 'The mails that wait or were refused, without what they say; at most 500',
  method: 'GET',
  path: '/mails',
  scope: 'redmint:server:read',
  answer: Mails,
  off: noMail,
  async run({ storage }) {
    const mails = await listMails(storage, MAX_LISTED)
    const items = mails.map(({ id, kind, to, state, attempts, answer, created_at, ends_at }) => ({
      ...{ id, kind, to, state, attempts },
      ...(answer !== '' && { answer }),
      created_at: new Date(created_at).toISOString(),
      ends_at: new Date(ends_at).toISOString(),
    }))
    return { body: { items } }
  },
})

const retry = operation({
  name: 'retry_mails',
  summary: 'Has mails that wait after a failure tried again at once: one, or all',
  method: 'POST',
  path: '/mails/retry',
  scope: 'redmint:server:write',
  body: Type.Object(
    { id: Type.Optional(Type.String({ description: 'Of one mail; default: all that wait' })) },
    { additionalProperties: false },
  ),
  answer: Retried,
  refusal: (settings) => (smtpOf(settings) === undefined ? NO_SMTP : undefined),
  async run({ storage }, { body: { id } }) {
    const retried = await retryMails(storage, id)
    if (id !== undefined && retried === 0)
      throw new AdminError('not_found', `No mail "${id}" waits after a failure.`)
    return { body: { retried } }
  },
})

const test = operation({
  name: 'test_mail',
  summary: 'Sends a test mail at once, without the queue, and answers what the SMTP server said',
  method: 'POST',
  path: '/mails/test',
  scope: 'redmint:server:write',
  body: Type.Object({ to: Type.String({ description: 'The address' }) }, { additionalProperties: false }),
  answer: Tested,
  refusal: (settings) => (smtpOf(settings) === undefined ? NO_SMTP : undefined),
  run: async (context, { body }) => ({ body: await testMail(context, body.to) }),
})

/** What operators do with mail. */
export const MAIL_OPERATIONS = byName(list, retry, test)

/** Hands a test mail over. @throws AdminError `invalid_field`, or as handOver */
async function testMail({ settings }: Pick<AdminContext, 'settings'>, to: string): Promise<Tested> {
  const email = readEmail(to)
  if (email === undefined) {
    const detail = 'to must be an address such as alice@example.com'
    throw new AdminError('invalid_field', `${detail}.`, [{ field: 'to', detail }])
  }
  return handOver(settings, email, { kind: 'test', language: 'en' })
}

const NO_SMTP = 'There is no SMTP server: set SMTP_URL and MAIL_FROM.'

function noMail(settings: Settings): string | undefined {
  return hasMail(settings) ? undefined : NO_SMTP
}

/** The SMTP server, and who sends; undefined: there is none. */
function smtpOf(settings: Settings): { readonly server: SmtpServer; readonly from: MailParty } | undefined {
  const server = readSmtpServer(settings)
  const from = readSender(settings.mail_from ?? '')
  return server && from && { server, from }
}

/** @throws AdminError `conflict` if there is no SMTP server */
export function demandSmtp(settings: Settings): NonNullable<ReturnType<typeof smtpOf>> {
  const smtp = smtpOf(settings)
  if (smtp === undefined) throw new AdminError('conflict', NO_SMTP)
  return smtp
}

/**
 * Hands a mail over at once, without the queue: somebody waits, and hears what the SMTP server said.
 * @throws as demandSmtp
 */
export async function handOver(settings: Settings, to: EmailAddress, content: MailContent): Promise<Tested> {
  const { server, from } = demandSmtp(settings)
  // Loaded only where there is mail.
  const { smtpSender } = await import('../../mail/smtp.ts')
  const { loadLanguages } = await import('../../languages/load-languages.ts')
  const mail = renderMail({ settings, languages: await loadLanguages(settings.languages_dir) }, content)
  const send = smtpSender(server, from, { timing: TEST_TIMING })
  const { outcome, answer } = await send({ id: randomText(ID_BYTES), to: to.text, ...mail })
  return { sent: outcome === 'sent', answer }
}
