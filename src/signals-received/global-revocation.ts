import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import { readEmail } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { isObject } from '../core/json.ts'
import {
  revocationByPerson,
  revocationSubjectMalformed,
  revocationSubjectUnknown,
} from '../core/signal-errors.ts'
import { parseStrictJson } from '../core/strict-json.ts'
import { type EndOfUserContext, endMarks, queueEndings } from '../logout/end-of-user.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { ValidAccessToken } from '../tokens/validation.ts'
import { ownerOfLink } from '../users/links.ts'
import { ownerOfAddress } from '../users/owner-of-address.ts'
import { linkOf, usernamesOfSub } from '../users/sign-in-names.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import { type NamedSubject, readSubject } from './subject.ts'

/** What it takes to end everything of somebody whom a security product names. */
export interface GlobalRevocationContext extends EndOfUserContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer'>
  readonly report: ReportEvent
}

/** A subject identifier is an object in an object. */
const MAX_DEPTH = 3

/**
 * Ends all sessions, codes and tokens of the person that a client names (draft-parecki-oauth-global-token-revocation §3):
 * they are refused once this returns, however many there are.
 * @param token that of the client, with the scope for it
 * @throws OAuthError if the client acts for somebody, or names nobody; StorageUnavailable
 */
export async function revokeGlobally(
  context: GlobalRevocationContext,
  token: Pick<ValidAccessToken, 'client_id' | 'subject'>,
  body: string,
): Promise<void> {
  // A person who may use such a client has no right to others.
  if (token.subject !== '') throw revocationByPerson()
  const user = await findPerson(context, subjectIn(body))
  if (user === undefined) throw revocationSubjectUnknown()
  const { username, sub } = user
  const { before, marks } = endMarks(context)
  const event = { event: 'user_revoked', username, client_id: token.client_id } as const
  // What somebody was about to add to the account must not come after the end.
  const change = { set: marks, expected: { sub }, is_counted: true } as const
  const ended = await commit(context, [event], { sub }, (told) =>
    context.storage.records.change(USER, username, { ...change, told }),
  )
  if (ended === 'missing') throw revocationSubjectUnknown()
  await queueEndings(context, username, before)
}

/** Returns whom the body names. @throws OAuthError */
function subjectIn(body: string): NamedSubject {
  const parsed = parseStrictJson(body, MAX_DEPTH)
  if ('problem' in parsed) throw revocationSubjectMalformed(`The JSON ${parsed.problem}.`)
  const { value } = parsed
  const subject = isObject(value) ? readSubject(value.sub_id) : undefined
  if (subject === undefined)
    throw revocationSubjectMalformed(
      'Send {"sub_id": …} of the format iss_sub, email or opaque (RFC 9493 §3.2).',
    )
  return subject
}

/**
 * Returns the one account that is meant, also if it is disabled; undefined: none, or several. A sub is that of the
 * account: a pairwise one is a digest, which nobody turns back.
 */
async function findPerson(context: GlobalRevocationContext, named: NamedSubject): Promise<User | undefined> {
  const { storage, settings } = context
  if (named.format === 'email') {
    const email = readEmail(named.email)
    return email && userOf(await ownerOfAddress(storage, email))
  }
  if (named.format === 'iss_sub' && named.iss !== settings.issuer)
    return userOf(await ownerOfLink(context, linkOf(named.iss, named.sub)))
  const [username, ...others] = await usernamesOfSub(
    storage,
    named.format === 'opaque' ? named.id : named.sub,
  )
  if (username === undefined || others.length > 0) return undefined
  return recordOf(await storage.records.read(USER, username))
}

const userOf = (found: { readonly user: User } | string | undefined): User | undefined =>
  typeof found === 'object' ? found.user : undefined
