import { readSmtpServer } from '../../config/mail-settings.ts'
import { noteByOperator } from '../../self-service/activity.ts'
import { mailAddressOf } from '../../self-service/forgot-password.ts'
import { noticeOfActing } from '../../self-service/notices.ts'
import type { User } from '../../users/user-record.ts'
import { handOver } from '../mail/mails.ts'
import type { AdminContext } from '../operation/operation.ts'

/**
 * Tells a person that the command on the host acts as the person: no server hears of it.
 * @returns what became of the mail
 * @throws StorageUnavailable
 */
export async function tellFromHost(
  context: AdminContext,
  user: User,
  resource: string,
): Promise<{ sent: boolean; answer: string }> {
  const { settings } = context
  if (settings.account_page === 'on') await noteByOperator(context, user.username, 'user_acted_as')
  const to = mailAddressOf(user)
  if (to === undefined) return { sent: false, answer: 'the user has no verified address' }
  if (readSmtpServer(settings) === undefined) return { sent: false, answer: 'there is no SMTP server' }
  return handOver(settings, to, await noticeOfActing(context, user, resource))
}
