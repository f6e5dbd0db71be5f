import type { TestOptions } from './service.ts'

/** Settings of a service that has mail, whose SMTP server is away: mails wait. */
export const WITH_MAIL = {
  smtp_url: 'smtp://127.0.0.1:9',
  mail_from: 'Example <login@example.com>',
  mail: { timing: { poll: 86_400 } },
} as const satisfies TestOptions
