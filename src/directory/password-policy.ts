import { type BerReader, Control, InvalidCredentialsError } from 'ldapts'

/** The errors of a response by which a right password counts no more: it expired, or somebody else set it. */
const PASSWORD_EXPIRED = 0
const CHANGE_AFTER_RESET = 2
const [WARNING, ERROR] = [0xa0, 0x81]

/**
 * Asks a directory to say what is with a password, as OpenLDAP, 389 Directory Server and FreeIPA do
 * (draft-behera-ldap-password-policy §6). It speaks of these two once the password was right.
 */
export class PasswordPolicyControl extends Control {
  /** Whether the directory said that the password must be changed. */
  must_change = false

  constructor() {
    super('1.3.6.1.4.1.42.2.27.8.5.1')
  }

  override parseControl(reader: BerReader): void {
    if (reader.readSequence() === null) return
    if (reader.peek() === WARNING) reader.readString(WARNING, true)
    if (reader.peek() !== ERROR) return
    const error = reader.readTag(ERROR)
    this.must_change = error === PASSWORD_EXPIRED || error === CHANGE_AFTER_RESET
  }
}

// [MS-ERREF] §2.2: 0x532 ERROR_PASSWORD_EXPIRED, 0x773 ERROR_PASSWORD_MUST_CHANGE.
const OF_ACTIVE_DIRECTORY = /AcceptSecurityContext error, data (?:532|773),/

/** Whether Active Directory says in the text of a refusal that a right password must be changed. */
export function saysMustChange(error: unknown): boolean {
  return error instanceof InvalidCredentialsError && OF_ACTIVE_DIRECTORY.test(error.message)
}
