import type { Command } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { retryMails, showMails, testMail } from './mail.ts'

/** `redmint mail …` */
export function addMailCommands(program: Command, run: CommandRun): void {
  const mail = program.command('mail').description('mail that waits, and a test of the SMTP server')
  atServer(
    addCommand(
      mail,
      'list',
      'Lists mails that wait or were refused, without their links, and what the SMTP server said.',
      ['redmint mail list'],
    ),
  ).action((flags: ServerFlags) => run.operate(flags, showMails))

  atServer(
    addCommand(
      mail,
      'retry [id]',
      'Has mails that wait after a failure tried again within half a minute: all of them, or the one with this id.',
      ['redmint mail retry'],
    ),
  ).action((id: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => retryMails(calls, id)),
  )

  atServer(
    addCommand(
      mail,
      'test <address>',
      'Sends a test mail at once, and says what the SMTP server answered. Without --server it needs SMTP_URL and MAIL_FROM where it runs.',
      ['redmint mail test alice@example.com'],
    ),
  ).action((address: string, flags: ServerFlags) => run.operate(flags, (calls) => testMail(calls, address)))
}
