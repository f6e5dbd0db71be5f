/** What was done, as an address says it, and a page. `#` stands for a number. */
export const DONE = {
  person_disabled: 'The person is disabled, and signed out everywhere.',
  person_enabled: 'The person is enabled.',
  person_removed: 'The person was removed.',
  sessions_ended: 'Sessions ended: #.',
  grants_ended: 'Sign-ins of applications ended: #.',
  acting_ended: 'It does not act in this sign-in any more. Tokens ended: #.',
  consents_withdrawn: 'Consents forgotten: #.',
  all_sessions_ended: 'All sessions of everybody end within a second.',
  unlocked: 'Lockouts lifted: #.',
  factors_reset: 'The ways to sign in besides the password were removed. Sessions ended: #.',
  application_created: 'The application was registered.',
  application_disabled: 'The application is disabled.',
  application_enabled: 'The application is enabled.',
  application_removed: 'The application was removed.',
  preview_ended: 'The preview ended.',
  old_secret_ended: 'The old secret ended.',
  token_revoked: 'The token was revoked.',
  saved: 'The changes were saved.',
  created: 'It was created.',
  removed: 'It was removed.',
  invitation_removed: 'The invitation was withdrawn.',
  secret_set: 'The secret was set.',
  keys_rotated: 'The keys were rotated.',
} as const

export type ConsoleDoneName = keyof typeof DONE

/** Returns what an address says was done; undefined: nothing that is known. */
export function doneText(done: string | undefined, count: string | undefined): string | undefined {
  if (done === undefined || !Object.hasOwn(DONE, done)) return undefined
  return DONE[done as ConsoleDoneName].replace('#', /^\d{1,9}$/.test(count ?? '') ? String(count) : '0')
}
