import type { OwnRoom } from '../plugins/room.ts'
import type { AccountSource } from '../src/interaction/own-accounts.ts'
import type { SignInMethods } from '../src/interaction/sign-in-method.ts'

/** What an application brings to sign people in. */
export interface ApplicationOptions {
  /** The ways to sign in, the first of which the sign-in page shows; a password if it is left out. */
  methods?: SignInMethods
  /** The accounts of the application, for methods of its own; absent: those of redmint are all. */
  account_source?: AccountSource
}

/** The ways to sign in and the accounts of an application. */
export const application = ({ methods, account_source }: ApplicationOptions): OwnRoom => ({
  name: 'application',
  isOn: () => methods !== undefined || account_source !== undefined,
  load: async () => ({
    ...(methods && { methods: () => methods }),
    ...(account_source && { account_source }),
  }),
})
