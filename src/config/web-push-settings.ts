import { createECDH } from 'node:crypto'
import { isHttpsUrl } from './page-links.ts'

/** The settings of notices in browsers. */
export interface WebPushSettings {
  readonly web_push_private_key?: string
  readonly web_push_contact?: string
}

type Problem = [field: keyof WebPushSettings, problem: string]

/** Whether people can get notices in browsers: somebody may ask them, and there is a page on which they allow it. */
export function hasWebPush({
  web_push_private_key,
  ask_people,
  account_page,
}: WebPushSettings & {
  readonly ask_people: 'off' | 'on'
  readonly account_page: 'off' | 'on'
}): boolean {
  return web_push_private_key !== undefined && ask_people === 'on' && account_page === 'on'
}

/** Returns the settings of notices in browsers that are wrong or do not fit together, each with its problem. */
export function webPushProblems(
  { web_push_private_key: key, web_push_contact: contact }: WebPushSettings,
  nameOf: (field: keyof WebPushSettings) => string,
): Problem[] {
  const problems: Problem[] = []
  if ((key === undefined) !== (contact === undefined)) {
    const [present, absent] =
      key === undefined
        ? (['web_push_contact', 'web_push_private_key'] as const)
        : (['web_push_private_key', 'web_push_contact'] as const)
    problems.push([present, `needs ${nameOf(absent)}: set both`])
  }
  if (key !== undefined && !isPrivateKey(key))
    problems.push(['web_push_private_key', 'must be 32 bytes in base64: openssl rand -base64 32'])
  // RFC 8292 §2.1.
  if (contact !== undefined && !isHttpsUrl(contact) && !/^mailto:[^\s@]+@[^\s@]+$/.test(contact))
    problems.push(['web_push_contact', 'must be mailto: and an address, or an https URL'])
  return problems
}

// Nearly all texts of 32 octets are a private key on P-256.
function isPrivateKey(key: string): boolean {
  try {
    createECDH('prime256v1').setPrivateKey(Buffer.from(key, 'base64'))
    return true
  } catch {
    return false
  }
}
