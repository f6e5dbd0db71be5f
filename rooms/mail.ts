import type { OwnRoom } from '../plugins/room.ts'
import { hasMail, readSender, readSmtpServer } from '../src/config/mail-settings.ts'
import type { Origin } from '../src/core/audit-entries.ts'
import type { SecurityEvent } from '../src/core/events.ts'
import type { MailTiming } from '../src/mail/mail-courier.ts'
import type { MailRequest } from '../src/mail/mailer.ts'
import type { Mailing } from '../src/mail/mailing.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'

/** What tests replace. */
export interface MailOptions {
  timing?: Partial<MailTiming>
  /** The authority of the SMTP server's certificate. */
  ca?: string
}

/** In demo mode, this process alone queues mail. */
const DEMO_TIMING = { poll: 60 }

/** Mail: what forms ask for, and notices of each change of a way to sign in to an account. */
export const mail = ({ timing, ca }: MailOptions): OwnRoom => ({
  name: 'mail',
  isOn: hasMail,
  async load(ground) {
    const { DroppedMails } = await import('../src/mail/dropped-mails.ts')
    const { MAIL_TIMING, MailCourier } = await import('../src/mail/mail-courier.ts')
    const { MAKER_TIMING, MailMaker } = await import('../src/mail/mail-maker.ts')
    const { askForMail } = await import('../src/mail/mail-requests.ts')
    const { Mailbox } = await import('../src/mail/mailbox.ts')
    const { sendMail } = await import('../src/mail/mailer.ts')
    const { renderMail } = await import('../src/mail/render-mail.ts')
    const { sendResetLink } = await import('../src/self-service/forgot-password.ts')
    const { notifyOwner } = await import('../src/self-service/notices.ts')
    const { sendSignUpLink } = await import('../src/self-service/sign-up.ts')
    const { settings, now, log } = ground
    const server = readSmtpServer(settings)
    const from = readSender(settings.mail_from ?? '')
    const mailbox = new Mailbox(now)
    let post = mailbox.send
    if (server !== undefined && from !== undefined) {
      const { smtpSender } = await import('../src/mail/smtp.ts')
      post = smtpSender(server, from, ca === undefined ? {} : { ca })
    }
    const timed = { ...(server === undefined && DEMO_TIMING), ...timing }
    const courier = new MailCourier({ ...ground, render: (content) => renderMail(ground, content) }, post, {
      ...MAIL_TIMING,
      ...timed,
    })
    const send: Mailing['send'] = (context, request) => sendMail(context, () => courier.wake(), request)
    // The context of no request.
    const mailing = { ...ground, send: (request: MailRequest) => send(ground, request) }
    const maker = new MailMaker(
      {
        ...ground,
        make: {
          ...(settings.forgot_password_url === undefined && {
            forgot: (ask) => sendResetLink(mailing, ask),
          }),
          ...(settings.sign_up === 'open' && { sign_up: (ask) => sendSignUpLink(mailing, ask) }),
        },
      },
      { ...MAKER_TIMING, ...timed },
    )
    const dropped = new DroppedMails(ground.counts.mails_dropped, now)
    // One after the other: the links of an account are counted before another one is made.
    let told = Promise.resolve()
    const notify = (event: SecurityEvent, origin: () => Origin) => {
      const known = origin()
      told = told
        .then(() => notifyOwner(mailing, event, known))
        .catch((error: unknown) => {
          // Storage logs why it is unavailable.
          if (!(error instanceof StorageUnavailable)) log.error({ err: error }, 'A notice could not be made.')
        })
    }
    return {
      mail: {
        send,
        ask: (context, ask) => askForMail({ ...context, dropped }, () => maker.wake(), ask),
        mailbox: server === undefined ? mailbox : undefined,
      },
      hears: { event: notify },
      workers: [
        {
          start() {
            courier.start()
            maker.start()
          },
          async close() {
            await maker.close()
            await courier.close()
          },
          closes_early: true,
        },
      ],
    }
  },
})
