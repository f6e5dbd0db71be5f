import fp from 'fastify-plugin'
import { readSender, readSmtpServer } from '../src/config/mail-settings.ts'
import type { Context } from '../src/context.ts'
import { DroppedMails } from '../src/mail/dropped-mails.ts'
import { MAIL_TIMING, MailCourier, type MailTiming } from '../src/mail/mail-courier.ts'
import { MAKER_TIMING, MailMaker } from '../src/mail/mail-maker.ts'
import { askForMail, type MailAsk } from '../src/mail/mail-requests.ts'
import { Mailbox } from '../src/mail/mailbox.ts'
import { type MailRequest, sendMail } from '../src/mail/mailer.ts'
import { renderMail } from '../src/mail/render-mail.ts'
import { sendResetLink } from '../src/self-service/forgot-password.ts'
import { sendSignUpLink } from '../src/self-service/sign-up.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Queues a mail; false if there are too many. Nothing waits for the SMTP server. @throws StorageUnavailable */
    sendMail(context: Context, request: MailRequest): Promise<boolean>
    /** Keeps what somebody asked for by a form, until a server makes the mail of it. @throws StorageUnavailable */
    askForMail(context: Context, ask: MailAsk): Promise<void>
    /** The last mails, in demo mode without an SMTP server. */
    mailbox: Mailbox | undefined
  }
}

/** In demo mode, this process alone queues mail. */
const DEMO_TIMING = { poll: 60 }

/** What tests replace. */
export interface MailOptions {
  timing?: Partial<MailTiming>
  /** The authority of the SMTP server's certificate. */
  ca?: string
}

/** Loads what sends mail, where there is an SMTP server. The build does not see an import inside of the plugin's arguments. */
const loadSmtp = () => import('../src/mail/smtp.ts')

/** Sends mail while the service runs. */
export default fp<MailOptions>(
  async (fastify, { timing, ca }) => {
    const { redmint } = fastify
    const { settings, now } = redmint
    const server = readSmtpServer(settings)
    const from = readSender(settings.mail_from ?? '')
    const mailbox = new Mailbox(now)
    let send = mailbox.send
    if (server !== undefined && from !== undefined) {
      const { smtpSender } = await loadSmtp()
      send = smtpSender(server, from, ca === undefined ? {} : { ca })
    }
    const courier = new MailCourier({ ...redmint, render: (content) => renderMail(redmint, content) }, send, {
      ...MAIL_TIMING,
      ...(server === undefined && DEMO_TIMING),
      ...timing,
    })
    fastify.decorate('mailbox', server === undefined ? mailbox : undefined)
    fastify.decorate('sendMail', (context: Context, request: MailRequest) =>
      sendMail(context, () => courier.wake(), request),
    )
    const dropped = new DroppedMails(redmint.counts.mails_dropped, now)
    // The context of no request.
    const mailing = Object.assign(Object.create(redmint) as Context, {
      send: (request: MailRequest) => fastify.sendMail(redmint, request),
    })
    const maker = new MailMaker(
      {
        ...redmint,
        make: {
          ...(settings.forgot_password_url === undefined && {
            forgot: (ask) => sendResetLink(mailing, ask),
          }),
          ...(settings.sign_up === 'open' && { sign_up: (ask) => sendSignUpLink(mailing, ask) }),
        },
      },
      { ...MAKER_TIMING, ...(server === undefined && DEMO_TIMING), ...timing },
    )
    fastify.decorate('askForMail', (context: Context, ask: MailAsk) =>
      askForMail(Object.assign(Object.create(context), { dropped }), () => maker.wake(), ask),
    )
    fastify.addHook('onReady', async () => {
      courier.start()
      maker.start()
    })
    // Deliveries end while the last requests are answered, so that closing does not take longer.
    fastify.addHook('preClose', async () => void maker.close().then(() => courier.close()))
    fastify.addHook('onClose', async () => {
      await maker.close()
      await courier.close()
    })
  },
  { name: 'redmint-mail', dependencies: ['redmint-context'] },
)
