import type { Settings } from '../config/settings.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { ClientId, Transaction } from '../core/ids.ts'
import type { Link } from '../core/link.ts'
import { present } from '../core/present.ts'
import type { Storage } from '../storage/storage.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { findInvitation, type InviteContext, invitingPerson, USER_INVITATION } from './invitation.ts'
import { findSignUp } from './sign-up.ts'

/** What it takes to find what a link is for. */
export interface TicketContext extends InviteContext {
  readonly storage: Storage
  readonly settings: InviteContext['settings'] & Pick<Settings, 'sign_up'>
}

/** What lets somebody make an account: an invitation, or the link of open sign-up. */
export interface Ticket {
  readonly groups: readonly string[]
  readonly email?: string
  /** The client that it leads on to; absent: none. */
  readonly client?: ClientId
  /** The name of the person who invites; absent: no person does. */
  readonly inviter?: string
  /** The id of an invitation; absent: it is open sign-up. */
  readonly invitation?: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
  /** The request from which somebody asked for the account, sealed. */
  readonly request?: Transaction
  /** Uses it up, once; false: it is over. @throws StorageUnavailable */
  take(): Promise<boolean>
  /** Ends it for all; false: it was over. @param told what the audit trail says of it @throws StorageUnavailable */
  end(told?: AuditEntries): Promise<boolean>
  /** After it made no account. @throws StorageUnavailable */
  giveBack(): Promise<void>
  /** The event of an account that was made by it. */
  used(username: string): SecurityEvent
}

/** Finds what a link is for; undefined: it is over. @throws StorageUnavailable */
export async function findTicket(context: TicketContext, link: Link): Promise<Ticket | undefined> {
  const { evidence, records } = context.storage
  const invitation = await findInvitation(context, link)
  if (invitation !== undefined) {
    const person = await invitingPerson(context.storage, invitation.by)
    return {
      ...invitation,
      ...present({ inviter: person?.inviter }),
      invitation: link.tag,
      ends_at: Date.parse(invitation.expires_at),
      end: async (told) => (await records.remove(USER_INVITATION, link.tag, told)) !== undefined,
      take: async () => (await records.use(USER_INVITATION, link.tag, 1)) === 'ok',
      giveBack: async () => void (await records.use(USER_INVITATION, link.tag, -1)),
      used: (username) => ({ event: 'user_joined', username, invitation: link.tag, ...person }),
    }
  }
  const kept = context.settings.sign_up === 'open' ? await findSignUp(context, link) : undefined
  if (kept === undefined || (await isNameTaken(context.storage, kept.value))) return undefined
  return {
    groups: [],
    email: kept.value,
    ends_at: kept.ends_at,
    ...(kept.request && { request: kept.request }),
    end: async (told) => (await evidence.take(link.tag, link.digest, kept, told)) === 'taken',
    take: async () => (await evidence.take(link.tag, link.digest, kept)) === 'taken',
    giveBack: () => evidence.give(link.digest, kept),
    used: (username) => ({ event: 'user_signed_up', username }),
  }
}
