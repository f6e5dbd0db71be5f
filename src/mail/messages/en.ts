import type { MailKind } from '../mail-kinds.ts'

/** The texts of one mail. `{service}`, `{about}`, `{account}`, `{inviter}` and `{client}` are placeholders. */
interface MailText {
  readonly subject: string
  readonly text: string
  /** The words of the link; absent: there is none. */
  readonly action?: string
  /** What comes after the link. */
  readonly after?: string
  /** In place of subject and text where a person wrote: `{inviter}`. */
  readonly subject_by?: string
  readonly text_by?: string
}

const NOT_ME = {
  action: 'This was not me',
  after:
    'If it was you, you need not do anything. If not, open the link within a day: it ends every sign-in to your account, takes back what can be taken back, and leads you to a new way to sign in.',
}

const MAILS: Readonly<Record<MailKind, MailText>> = {
  reset_password: {
    subject: 'Choose a new password for {service}',
    text: 'Somebody, most likely you, asked for a new password for your account at {service}.',
    action: 'Choose a new password',
    after: 'The link works once. If you did not ask for it, you need not do anything: nothing has changed.',
  },
  reset_passkey: {
    subject: 'Create a new passkey for {service}',
    text: 'Somebody, most likely you, asked for a new passkey for your account at {service}.',
    action: 'Create a new passkey',
    after: 'The link works once. If you did not ask for it, you need not do anything: nothing has changed.',
  },
  account_made: {
    subject: 'Your account at {service}',
    text: 'There is an account for you at {service}. Choose how you sign in to it.',
    action: 'Set up your sign-in',
    after: 'The link works once. If you did not expect this, you need not do anything.',
  },
  verify_address: {
    subject: 'Confirm your e-mail address for {service}',
    text: 'Somebody with the account {account} at {service} entered this address. Please confirm it if both are yours. It counts at {service} from then on.',
    action: 'Confirm this address',
    after:
      'The link works once. If you have no account at {service}, you need not do anything: somebody mistyped an address.',
  },
  changing_address: {
    subject: 'Your e-mail address at {service} is being changed',
    text: 'Somebody, most likely you, entered another e-mail address for your account at {service}. It counts as soon as it is confirmed. Mail goes to the new address then.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'Your e-mail address at {service} was changed',
    text: 'Your account at {service} has another e-mail address now. Mail goes to the new address.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'You are invited to {service}',
    text: 'You can create an account at {service}.',
    subject_by: '{inviter} invites you to {service}',
    text_by: '{inviter} invites you to create an account at {service}.',
    action: 'Create an account',
    after: 'If you did not expect this, you need not do anything.',
  },
  sign_up: {
    subject: 'Create your account at {service}',
    text: 'Somebody, most likely you, wants to create an account at {service} with this address.',
    action: 'Create the account',
    after:
      'The link works once. If you did not ask for it, you need not do anything: there is no account without it.',
  },
  known_address: {
    subject: 'You have an account at {service}',
    text: 'Somebody, most likely you, wanted to create an account at {service} with this address. There is one already: sign in with it. If you forgot its password, you can choose a new one.',
    action: 'Choose a new password',
    after: 'If you did not ask for it, you need not do anything: nothing has changed.',
  },
  known_address_passkey: {
    subject: 'You have an account at {service}',
    text: 'Somebody, most likely you, wanted to create an account at {service} with this address. There is one already: sign in with it. If you lost its passkey, you can create a new one.',
    action: 'Create a new passkey',
    after: 'If you did not ask for it, you need not do anything: nothing has changed.',
  },
  password_changed: {
    subject: 'Your password at {service} was changed',
    text: 'The password of your account at {service} was changed.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'There is a new way to sign in at {service}',
    text: 'Your account at {service} has a new way to sign in: {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'A way to sign in at {service} was removed',
    text: 'A way to sign in was removed from your account at {service}: {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'A recovery code was used at {service}',
    text: 'Somebody signed in to your account at {service} with a recovery code. It cannot be used again.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Somebody guesses codes for your account at {service}',
    text: 'Somebody entered the password of your account at {service}, and wrong codes very often. The codes of your app do not count any more, so nobody can guess one. Choose a new password, sign in with a recovery code, and set up your app again.',
    ...NOT_ME,
  },
  asked: {
    subject: '{about} asks for your answer',
    text: '{about} asks you something at {service}. You see what it is after you sign in. Nothing happens without your answer, and this link answers nothing.',
    action: 'See what it asks',
    after: 'If you do not expect this, say no, or do nothing.',
  },
  acted_as: {
    subject: 'Somebody who runs {service} acts for you',
    text: 'An administrator of {service} got access to {about} in your name, for ten minutes at most, to help you. Nobody can sign in to your account by it, or change how you sign in.',
    action: 'See and end it',
    after:
      'If you asked for help, you need not do anything. If you do not expect this, end it, and ask the people who run {service}.',
  },
  test: {
    subject: 'A test of {service}',
    text: 'An administrator of {service} sent this mail to see whether mail arrives. You need not do anything.',
  },
}

/** What notices are about. */
const ABOUT = {
  passkey: 'a passkey',
  provider: 'the link with an account elsewhere',
  totp: 'codes of an authenticator app',
  recovery: 'recovery codes',
  all: 'an administrator reset the others than the password',
}

/** What several mails have. */
const COMMON = {
  client: 'Then you go on to {client}.',
  until: 'Works until',
  at: 'When',
  browser: 'Browser',
  address: 'Network address',
  stuck: 'Does the button not work? Open this address:',
  sent: 'Sent by {service},',
}

/** The English texts of mails, by names such as `invitation.subject` and `about.passkey`. Translations are in src/texts/. */
export const MAIL_TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...MAILS, about: ABOUT, common: COMMON }).flatMap(([kind, parts]) =>
    Object.entries(parts).map(([part, text]) => [`${kind}.${part}`, text]),
  ),
)
