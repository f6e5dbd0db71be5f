import type { Settings } from '../config/settings.ts'
import { send } from '../outbound/operator-fetch.ts'
import type { DoctorCheck } from '../service/check.ts'
import { type Finding, findingsOf } from '../service/finding.ts'

const WITHIN_MS = 3000

/**
 * Returns the finding about the pages of an application at which people sign in and consent: whether they answer from
 * here.
 */
export async function ownPagesFinding({
  login_url,
  consent_url,
}: Pick<Settings, 'login_url' | 'consent_url'>): Promise<Finding> {
  const { ok, warning } = findingsOf('own pages')
  const pages = Object.entries({ LOGIN_URL: login_url, CONSENT_URL: consent_url }).flatMap(([name, url]) =>
    url === undefined ? [] : [{ name, url }],
  )
  if (pages.length === 0) return ok('LOGIN_URL and CONSENT_URL are not set: redmint shows its own')
  const wrong = await Promise.all(pages.map(problemOf))
  const found = wrong.filter((problem) => problem !== undefined)
  if (found.length === 0) return ok(`${pages.map(({ name }) => name).join(' and ')} answer`)
  return warning(found.join('; '), 'Look at that application; this machine need not reach it, browsers must.')
}

/** A page asks for a challenge, and may answer with any status below 500 without one. */
async function problemOf({ name, url }: { name: string; url: string }): Promise<string | undefined> {
  try {
    const { status, body } = await send(url, {}, WITHIN_MS)
    await body?.cancel()
    return status >= 500 ? `${name} answers ${status}` : undefined
  } catch (error) {
    return `${name} does not answer: ${(error as Error).message.replace(url, 'it')}`
  }
}

/** The check of the pages of an application. */
export const OWN_LOGIN_CHECKS: readonly DoctorCheck[] = [
  {
    names: ['own pages'],
    outside: true,
    look: async ({ settings }) => [await ownPagesFinding(settings)],
  },
]
