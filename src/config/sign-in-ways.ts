import { isDirectoryAlone } from './ldap-settings.ts'
import { hasMail } from './mail-settings.ts'
import { hasOnlyPasskeys } from './passkey-settings.ts'
import type { Settings } from './settings.ts'

type Ways = Pick<Settings, 'sign_in' | 'login_url'>

/** Whether people may sign in by providers. */
export const hasProviders = ({ sign_in }: Pick<Ways, 'sign_in'>): boolean =>
  sign_in === 'providers' || sign_in.startsWith('provider:')

/** The one provider by which everybody signs in; undefined: there are other ways. */
export const onlyProvider = ({ sign_in }: Pick<Ways, 'sign_in'>): string | undefined =>
  sign_in.startsWith('provider:') ? sign_in.slice('provider:'.length) : undefined

/** Whether people sign in on the page of redmint: with a password or a passkey of redmint, or by a directory. */
export const hasOwnPage = (settings: Ways): boolean =>
  onlyProvider(settings) === undefined && settings.login_url === undefined

/** Whether people may sign in with a password of redmint. */
export const hasPasswords = (settings: Ways): boolean =>
  hasOwnPage(settings) && !isDirectoryAlone(settings) && !hasOnlyPasskeys(settings)

/** Whether redmint sends links to those who lost the password, or the passkeys where there is nothing else. */
export const sendsResetLinks = (
  settings: Ways & Pick<Settings, 'demo' | 'smtp_url' | 'forgot_password_url'>,
): boolean =>
  hasMail(settings) &&
  settings.forgot_password_url === undefined &&
  (hasPasswords(settings) || hasOnlyPasskeys(settings))
