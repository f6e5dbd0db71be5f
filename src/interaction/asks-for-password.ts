import { en } from '../pages/messages/en.ts'
import { type PendingRecord, requestName } from './pending-record.ts'
import type { SignInMethod } from './sign-in-method.ts'

/** Whether the first page of a method asks for username and password. */
export function asksForPassword({ fields }: SignInMethod, pending: PendingRecord): boolean {
  // Which fields a page has depends neither on its language nor on addresses.
  const asked = { language: en.tag, texts: en, request: requestName(pending), addressOf: () => '' }
  return fields?.(asked) === undefined
}
