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
