import type { Members } from './members.ts'

/** What a user has to do at the next sign-in, as far as redmint demands it in another way. */
export interface Demands {
  /** The password counts no more, so that it is not taken over. */
  readonly new_password: boolean
  /** The user has to have a second step. */
  readonly second_step: boolean
  /** Nobody knows whether the address is right. */
  readonly unverified_email: boolean
}

type Demand = keyof Demands

const NOT_ASKED = 'redmint does not ask for it'
const KNOWN: Readonly<Record<string, readonly [demand: Demand | undefined, what: string]>> = {
  UPDATE_PASSWORD: [
    'new_password',
    'the password that had to be changed is left out: send a link (redmint user reset-link)',
  ],
  CONFIGURE_TOTP: ['second_step', 'the user has to set up a second step while signing in'],
  'webauthn-register': ['second_step', 'the user has to set up a second step while signing in'],
  'webauthn-register-passwordless': [undefined, `${NOT_ASKED}: the account page makes passkeys`],
  CONFIGURE_RECOVERY_AUTHN_CODES: [undefined, 'redmint makes these codes with the second step'],
  VERIFY_EMAIL: ['unverified_email', 'the address is taken over as one that nobody confirmed'],
  UPDATE_EMAIL: ['unverified_email', 'the address is taken over as one that nobody confirmed'],
  UPDATE_PROFILE: [undefined, NOT_ASKED],
  VERIFY_PROFILE: [undefined, NOT_ASKED],
  TERMS_AND_CONDITIONS: [undefined, NOT_ASKED],
  update_user_locale: [undefined, NOT_ASKED],
}

/** Reads what a user of a realm has to do at the next sign-in: what had to be changed there must not live on here. */
export function readActions(user: Members): Demands {
  const demanded = new Set<Demand>()
  for (const action of user.texts('requiredActions')) {
    const name = `requiredActions.${action}`
    const [demand, what] = Object.hasOwn(KNOWN, action)
      ? (KNOWN[action] ?? [])
      : [undefined, 'redmint does not know it: look whether these users may sign in as they are']
    if (demand === undefined) user.lost(name, what ?? '')
    else {
      demanded.add(demand)
      user.changed(name, what ?? '')
    }
  }
  return {
    new_password: demanded.has('new_password'),
    second_step: demanded.has('second_step'),
    unverified_email: demanded.has('unverified_email'),
  }
}
