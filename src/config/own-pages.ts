import { isHttpOnLoopback, isHttpsUrl } from './page-links.ts'

/** What the pages of an application have to do with. */
export interface OwnPageSettings {
  readonly login_url?: string
  readonly consent_url?: string
  readonly admin_api: 'off' | 'on'
  readonly sign_in: string
  readonly sign_up: 'off' | 'open'
}

/** Whether people sign in or consent at a page of an application, which answers by the admin API. */
export function hasOwnPage({
  login_url,
  consent_url,
}: Pick<OwnPageSettings, 'login_url' | 'consent_url'>): boolean {
  return login_url !== undefined || consent_url !== undefined
}

/** The parameter that redmint adds to each. */
const CHALLENGES = { login_url: 'login_challenge', consent_url: 'consent_challenge' } as const

type Problem = [field: keyof OwnPageSettings, problem: string]

/** Returns why people cannot sign in, or consent, at the pages of an application. */
export function ownPageProblems(
  settings: OwnPageSettings,
  nameOf: (field: keyof OwnPageSettings) => string,
): Problem[] {
  const { login_url, admin_api, sign_in, sign_up } = settings
  const fields = (['login_url', 'consent_url'] as const).filter((field) => settings[field] !== undefined)
  const problems: Problem[] = fields.flatMap((field) => addressProblems(field, settings[field] ?? ''))
  if (fields[0] !== undefined && admin_api === 'off')
    problems.push(['admin_api', `must be on with ${nameOf(fields[0])}: the application answers by it`])
  if (login_url === undefined) return problems
  const own = nameOf('login_url')
  if (sign_in !== 'password') problems.push(['sign_in', `cannot be set with ${own}: people sign in there`])
  if (sign_up === 'open') problems.push(['sign_up', `cannot be open with ${own}: people sign in there`])
  return problems
}

function addressProblems(field: keyof typeof CHALLENGES, address: string): Problem[] {
  const parameter = CHALLENGES[field]
  const is_page = isHttpsUrl(address) || isHttpOnLoopback(address)
  const { hash, searchParams } = is_page ? new URL(address) : {}
  if (is_page && hash === '' && !searchParams?.has(parameter)) return []
  const problem = `must be an https URL, or http on loopback, without fragment and ${parameter}`
  return [[field, problem]]
}
