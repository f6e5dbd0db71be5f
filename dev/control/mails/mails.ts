import { Type } from '@sinclair/typebox'
import type { DevParts } from '../../parts.ts'
import { ControlError } from '../control-error.ts'
import { devOperation } from '../operation.ts'

/** A mail that the server sent. */
export interface SentMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The addresses in its text, in their order. */
  readonly links: readonly string[]
  /** ISO 8601. */
  readonly at: string
}

const MAX_WAIT = 30

/** Reads the mails. */
export const MAILS = devOperation({
  summary: 'The mails since the last reset, the oldest first (the last 20), with the links in them',
  method: 'POST',
  path: '/mails',
  call: 'mails({ to, at_least, within })',
  input: Type.Object(
    {
      to: Type.Optional(Type.String({ description: 'of this address; by default all' })),
      at_least: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 20, description: 'waits until there are so many; by default 0' }),
      ),
      within: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_WAIT, description: 'seconds to wait; by default 5' }),
      ),
    },
    { additionalProperties: false },
  ),
  /** @throws ControlError if fewer came within the time, or mail goes elsewhere */
  async run(parts, { to, at_least = 0, within = 5 }): Promise<SentMail[]> {
    const { fastify, mails } = parts
    const mailbox = fastify.redmint.mail?.mailbox
    if (mailbox === undefined)
      throw new ControlError(
        'This server keeps no mails: they go to an SMTP server (SMTP_URL), or nothing sends any.',
        409,
      )
    const found = () => mails.in(mailbox).filter((mail) => to === undefined || mail.to === to)
    if (!(await untilSent(parts, () => found().length >= at_least, within))) {
      const of = to === undefined ? '' : ` to ${to}`
      throw new ControlError(
        `There are ${found().length} mails${of} after ${within} s, and not ${at_least}.`,
        409,
      )
    }
    return found().map(({ to, subject, text, html, at }) => ({
      ...{ to, subject, text, html },
      links: [...text.matchAll(LINK)].map(([link]) => link),
      at: new Date(at).toISOString(),
    }))
  },
})

// Addresses stand in lines of their own, or before a full stop.
const LINK = /https?:\/\/[^\s<>"]+[^\s<>".,;)]/g

/** Waits until enough mails were sent. @returns whether they were */
function untilSent({ fastify }: DevParts, isEnough: () => boolean, seconds: number): Promise<boolean> {
  if (isEnough()) return Promise.resolve(true)
  const { reported } = fastify.redmint
  return new Promise((resolve) => {
    const end = (enough: boolean) => {
      clearTimeout(timer)
      reported.off('event', look)
      resolve(enough)
    }
    // The mailbox has a mail before its event.
    const look = () => {
      if (isEnough()) end(true)
    }
    const timer = setTimeout(() => end(isEnough()), seconds * 1000)
    reported.on('event', look)
  })
}
