import fp from 'fastify-plugin'
import type { SecurityEvent } from '../src/core/events.ts'
import type { MailRequest } from '../src/mail/mailer.ts'
import { notifyOwner } from '../src/self-service/notices.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'

/** Tells people by mail of each change of a way to sign in to their account. */
export default fp(
  async (fastify) => {
    const { redmint } = fastify
    const send = (request: MailRequest) => fastify.sendMail(redmint, request)
    const context = { ...redmint, send }
    // One after the other: the links of an account are counted before another one is made.
    let told = Promise.resolve()
    const tell = (event: SecurityEvent) => {
      told = told
        .then(() => notifyOwner(context, event))
        .catch((error: unknown) => {
          // Storage logs why it is unavailable.
          if (!(error instanceof StorageUnavailable))
            redmint.log.error({ err: error }, 'A notice could not be made.')
        })
    }
    redmint.reported.on('event', tell)
    fastify.addHook('onClose', async () => void redmint.reported.off('event', tell))
  },
  { name: 'redmint-notices', dependencies: ['redmint-mail'] },
)
