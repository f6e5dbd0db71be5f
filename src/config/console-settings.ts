import { isLoopbackHost, isUrl } from '../core/uri.ts'

/** Returns the problem of a console at the management listener, whose address nobody else says. */
export const consoleNeedsOrigin = (name: string, origin: string): string =>
  `${name} at the management listener needs ${origin}: the origin at which browsers reach it, such as https://console.example.com`

/** The settings that the console depends on. */
interface ConsoleSettings {
  readonly console: 'off' | 'on'
  readonly console_origin?: string | undefined
  readonly admin_api: 'off' | 'on'
}

/** Returns the problems of the settings of the console, each as the end of a message. */
export function consoleProblems(
  { console, console_origin, admin_api }: ConsoleSettings,
  nameOf: (field: 'console' | 'admin_api') => string,
): ['console' | 'console_origin', string][] {
  const problems: ['console' | 'console_origin', string][] = []
  if (console === 'on' && admin_api === 'off')
    problems.push(['console', `needs the admin API: set ${nameOf('admin_api')} to on`])
  if (console_origin === undefined) return problems
  if (console === 'off') problems.push(['console_origin', `needs ${nameOf('console')}: set it to on`])
  const { origin, protocol, hostname } = isUrl(console_origin) ? new URL(console_origin) : {}
  const is_safe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname ?? ''))
  if (origin !== console_origin || !is_safe)
    problems.push([
      'console_origin',
      'must be an https origin, or one on loopback, without path, query and slash at its end: https://console.example.com',
    ])
  return problems
}
