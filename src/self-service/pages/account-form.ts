/** What the forms and links of the account page need. */
export interface AccountLinks {
  /** The path of the account page. */
  readonly base: string
  /** Binds a form to the browser and its session. */
  readonly csrf: string
}

/** What was done, as the address of the account page says it. */
const DONE = [
  'session',
  'sessions',
  'application',
  'support',
  'unmuted',
  'notices',
  'no_notices',
  'password',
  'address',
  'second_step',
  'removed',
  'passkey',
  'renamed',
  'profile',
  'linked',
  'unlinked',
  'stale',
] as const
export type DoneName = (typeof DONE)[number]

export const isDone = (name: string | undefined): name is DoneName => DONE.some((done) => done === name)
