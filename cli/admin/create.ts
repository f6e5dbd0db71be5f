import { AdminError } from '../../src/admin/operation/problem.ts'
import { present } from '../../src/core/present.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import type { Calls } from '../calls.ts'
import { withHints } from '../errors.ts'
import type { Report } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { giveResetLink } from '../user/links.ts'
import { withNextStep } from '../user/next-step.ts'

/** Who becomes an administrator. */
export interface NewAdministrator {
  /** The address of the person, which counts as verified. */
  readonly email?: string
  readonly name?: string
  readonly scope: readonly string[]
  /** Whether the link is shown, although it could be sent. */
  readonly print?: true
}

/**
 * The command `admin create`: a user with rights, and a link by which somebody can sign in as this user.
 * @throws Refusal if the user exists
 */
export async function createAdministrator(
  calls: Calls,
  username: string,
  { email, name, scope, print }: NewAdministrator,
): Promise<Report> {
  const { call } = calls
  const settings = await settingsAt(calls)
  const claims = present({ name, email, email_verified: email === undefined ? undefined : true })
  const named = shellWord(username)
  const hints = {
    exists: `: redmint admin grant ${named} gives the user rights, redmint user reset-link ${named} makes a link.`,
  }
  const body = { username, admin: [...scope], claims }
  const added = await withHints(hints, call('create_user', { body }))
  await registerCommand(calls)
  const stored = {
    text: `The user "${username}" is stored, and may do by the admin API: ${scope.join(' ')}.`,
    json: { username, admin: [...scope] },
  }
  // Settings name it, without its value, if it is set.
  const has_smtp = settings !== undefined && Object.hasOwn(settings, 'smtp_url')
  const send = email !== undefined && !print && has_smtp
  const link = (send ? await linkOf(calls, username, send) : undefined) ?? (await linkOf(calls, username))
  // Where nobody signs in by what a link sets, the answer says what else there is.
  if (link === undefined) return withNextStep(stored, added)
  return { ...link, text: `${stored.text}\n\n${link.text}`, json: { ...stored.json, reset_link: link.json } }
}

/** Makes a link; undefined: the settings refuse it. */
async function linkOf(calls: Calls, username: string, send = false): Promise<Report | undefined> {
  try {
    return await giveResetLink(calls, username, { send, hides_sent: true })
  } catch (error) {
    if (error instanceof AdminError && error.code === 'conflict') return undefined
    throw error
  }
}

/** Registers the client by which people sign in at the command. An operator at a server has it, or uses another one. */
export async function registerCommand({ host, call }: Calls): Promise<void> {
  if (host !== undefined) await call('register_command_client', { body: {} })
}
