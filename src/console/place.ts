import type { Settings } from '../config/settings.ts'
import { CONSOLE_PATH, issuerPath, routePrefix } from '../core/paths.ts'

/** Where the console is. */
export interface ConsolePlace {
  /** The issuer whose cookies would be at this place: the origin of the console, or the issuer. */
  readonly site: string
  /** The path of the console in addresses of browsers. */
  readonly base: string
  /** The path of the console in requests that arrive here. */
  readonly route: string
}

/** Returns where the console is: below CONSOLE_ORIGIN, or else below the issuer. */
export function consolePlace(
  settings: Pick<Settings, 'issuer' | 'console_origin' | 'proxy_strips_path'>,
): ConsolePlace {
  const { issuer, console_origin } = settings
  if (console_origin !== undefined) return { site: console_origin, base: CONSOLE_PATH, route: CONSOLE_PATH }
  return {
    site: issuer,
    base: issuerPath(issuer) + CONSOLE_PATH,
    route: routePrefix(settings) + CONSOLE_PATH,
  }
}

/** Returns the redirect URI of the console. */
export const callbackOf = ({ site }: ConsolePlace) => `${site}${CONSOLE_PATH}/callback`

/** Returns the redirect URI of sign-ins that an operator tries. */
export const triedOf = ({ site }: ConsolePlace) => `${site}${CONSOLE_PATH}${TRIED_PATH}`

/** The page that says what came back, below the console. */
export const TRIED_PATH = '/tried'

/** Names that are not parts of paths: browsers take `.` and `..` out, however encoded, and `new` is a form. */
const TAKEN = /^~*(?:\.\.?|new)$/

/** Returns a name as a part of a path: one that is taken gets a `~`. */
export const segmentOf = (name: string): string => encodeURIComponent(TAKEN.test(name) ? `~${name}` : name)

/** Returns the name that a decoded part of a path stands for. */
export const nameOf = (segment: string): string =>
  segment.startsWith('~') && TAKEN.test(segment) ? segment.slice(1) : segment

/** Returns a path with names in place of its parameters. */
export const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => segmentOf(params[name] ?? ''))
