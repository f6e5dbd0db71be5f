import type { Sealer } from '../keys/sealer.ts'
import type { Browser, NewCookies } from '../sessions/browser.ts'
import type { SignInMethod, Success } from './sign-in-method.ts'

/** What it takes to seal and open what methods have browsers remember. */
export interface RememberedContext {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The cookie with what a method has a browser remember. @throws StorageUnavailable, as Sealer.seal */
export function rememberedCookie(
  { sealer, now }: RememberedContext,
  { name }: Pick<SignInMethod, 'name'>,
  { text, seconds }: NonNullable<Success['remember']>,
): NewCookies {
  const ends_at = now() + seconds * 1000
  return { remembered: { sealed: sealer.seal('remembered', `${name} ${ends_at} ${text}`), seconds } }
}

/** What a method had this browser remember; undefined if it ended. @throws StorageUnavailable, as Sealer.open */
export function rememberedBy(
  context: RememberedContext,
  { name }: Pick<SignInMethod, 'name'>,
  browser: Browser,
): string | undefined {
  const { of, text } = openRemembered(context, browser) ?? {}
  return of === name ? text : undefined
}

/**
 * The name of the method that had this browser remember something; undefined if it ended.
 * @throws StorageUnavailable, as Sealer.open
 */
export function rememberingMethod(context: RememberedContext, browser: Browser): string | undefined {
  return openRemembered(context, browser)?.of
}

function openRemembered({ sealer, now }: RememberedContext, { remembered }: Browser) {
  const opened = remembered === undefined ? undefined : sealer.open('remembered', remembered)
  const [, of, ends_at, text] = /^(\S+) (\d+) (.*)$/s.exec(opened ?? '') ?? []
  return Number(ends_at) > now() ? { of, text } : undefined
}
