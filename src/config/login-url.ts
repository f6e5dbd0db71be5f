import { isHttpOnLoopback, isHttpsUrl } from './page-links.ts'

/** What the sign-in page of an application has to do with. */
export interface LoginSettings {
  readonly login_url?: string
  readonly admin_api: 'off' | 'on'
  readonly sign_in: string
  readonly sign_up: 'off' | 'open'
}

/** Parameters that redmint adds. */
const OWN_PARAMETERS = ['login_challenge']

/** Returns why people cannot sign in at the page of an application. */
export function loginProblems(
  { login_url, admin_api, sign_in, sign_up }: LoginSettings,
  nameOf: (field: keyof LoginSettings) => string,
): [field: keyof LoginSettings, problem: string][] {
  if (login_url === undefined) return []
  const problems: [keyof LoginSettings, string][] = []
  const is_page = isHttpsUrl(login_url) || isHttpOnLoopback(login_url)
  const { hash, searchParams } = is_page ? new URL(login_url) : {}
  const has_own = OWN_PARAMETERS.some((name) => searchParams?.has(name))
  if (!is_page || hash !== '' || has_own) {
    problems.push([
      'login_url',
      `must be an https URL, or http on loopback, without fragment and ${OWN_PARAMETERS.join()}`,
    ])
  }
  const own = nameOf('login_url')
  if (admin_api === 'off')
    problems.push(['admin_api', `must be on with ${own}: the application answers by it`])
  if (sign_in !== 'password') problems.push(['sign_in', `cannot be set with ${own}: people sign in there`])
  if (sign_up === 'open') problems.push(['sign_up', `cannot be open with ${own}: people sign in there`])
  return problems
}
