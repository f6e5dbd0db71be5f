import { randomText } from '../core/token-string.ts'
import { nameForm } from '../core/visible-text.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type {
  Failure,
  MethodContext,
  RoundResult,
  SignInMethod,
  SignInRound,
} from '../interaction/sign-in-method.ts'
import { isUsername, type User } from '../users/user-record.ts'
import { accountOf, failureOf } from './account.ts'
import { ask } from './ask.ts'
import type { Directory } from './directory.ts'
import type { ReadEntry } from './entry.ts'
import { NAME } from './name.ts'
import { directoryButton, directoryProblem, PASSWORD_EXPIRED } from './page-parts.ts'
import { idOfUser, readPerson } from './person.ts'
import { askedAgain } from './still-there.ts'

/** Sign-in with the name and the password that a directory knows: the form's fields `username` and `password`. */
export function directoryMethod(parts: MethodParts, directory: Directory): SignInMethod {
  return {
    name: NAME,
    first_step_amr: 'pwd',
    acr_values: ['1'],
    username: ({ answer }) => answer.username ?? '',
    async authenticate(context, round) {
      const username = nameForm(round.answer.username ?? '')
      const password = round.answer.password ?? ''
      // The directory is not asked, whoever it is: it lets in everybody without a password (RFC 4513 §5.1.2).
      if (!isUsername(username) || password === '') return failed(round, 'wrong_password')
      return ask(directory, { ...parts, log: context.log }, round.asker, async () => {
        const proven = await prove(context, directory, username, password)
        return typeof proven === 'string'
          ? failed(round, proven)
          : signedIn({ ...parts, ...context }, directory, proven)
      })
    },
    isStillThere: askedAgain(parts, directory),
    offer: ({ texts }) => directoryButton(texts),
    texts: ({ problem, texts }) => directoryProblem(problem, texts, parts.settings),
  }
}

/** Finds an entry, and shows the directory its password. All failures ask the same of the directory. */
async function prove(
  { log, guessesAt }: MethodContext,
  directory: Directory,
  username: string,
  password: string,
): Promise<ReadEntry | Failure['reason']> {
  const found = await directory.find(username)
  if (found === 'several')
    log.warn({}, 'LDAP_USER_FILTER finds several entries for one name: none of them can sign in.')
  const entry = typeof found === 'string' ? undefined : found
  // It may be found under other spellings, and other names of its own.
  await guessesAt(entry?.dn ?? username, entry !== undefined)
  const shown = await directory.showPassword(entry?.dn ?? directory.nobody(randomText(9)), password)
  if (entry === undefined) return 'unknown_user'
  if (directory.isLocked(entry)) return 'disabled_user'
  if (shown === 'must_change') return 'password_expired'
  return shown === 'let_in' ? entry : 'wrong_password'
}

async function signedIn(
  context: MethodParts & MethodContext,
  directory: Directory,
  entry: ReadEntry,
): Promise<RoundResult> {
  const person = await readPerson(context, directory, entry)
  const user = person === undefined ? 'unreadable' : await accountOf(context, person)
  if (typeof user === 'string') return failureOf(user)
  const { factors } = await findFactors(context, user.username)
  return { outcome: 'ok', user, amr: ['pwd'], acr: '1', account_state: accountState(user, factors) }
}

/** An account that does not belong to the directory is not named: it has another password. */
function failed({ user }: SignInRound, reason: Failure['reason']): Failure {
  return {
    outcome: 'failed',
    reason,
    ...(isOfDirectory(user) && { user }),
    // The password was the right one: it was not guessed, and who has to change it must not be locked out.
    ...(reason === 'password_expired' && { problem: PASSWORD_EXPIRED, is_forgiven: true }),
  }
}

const isOfDirectory = (user: User | undefined): user is User =>
  user !== undefined && idOfUser(user) !== undefined
