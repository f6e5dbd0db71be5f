import { present } from '../../src/core/present.ts'
import type { Calls } from '../calls.ts'
import { EXIT } from '../errors.ts'
import { listed, type Report } from '../output.ts'
import { when } from '../when.ts'

/** The command `mail list`. */
export async function showMails({ call, now }: Calls): Promise<Report> {
  const { items: mails, off } = await call('list_mails')
  const rows = mails.map(({ id, kind, to, state, attempts, ends_at, answer = '' }) => [
    id,
    kind,
    to,
    state,
    String(attempts),
    when(ends_at, now),
    answer,
  ])
  const head = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'UNTIL', 'ANSWER']
  return {
    text: listed(head, rows, { none: off ?? 'No mail waits.', noun: 'mail' }),
    json: { mails, ...(off !== undefined && { off }) },
  }
}

/** The command `mail retry`. */
export async function retryMails({ call }: Calls, id: string | undefined): Promise<Report> {
  const { retried } = await call('retry_mails', { body: present({ id }) })
  const mails = retried === 1 ? '1 mail is' : `${retried} mails are`
  return {
    text: retried === 0 ? 'No mail waits after a failure.' : `${mails} tried again.`,
    json: { retried },
  }
}

/** The command `mail test`. */
export async function testMail({ call }: Calls, to: string): Promise<Report> {
  const { sent, answer } = await call('test_mail', { body: { to } })
  const text = sent
    ? `The SMTP server took the mail: ${answer}. Whether it arrives, ${to} sees.`
    : `The mail was not sent: ${answer}.`
  return { text, json: { sent, answer }, ...(!sent && { exit: EXIT.refused }) }
}
