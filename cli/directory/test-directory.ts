import { nameForm } from '../../src/core/visible-text.ts'
import { type ExaminedEntry, examineDirectory } from '../../src/directory/examine.ts'
import { readDirectoryOptions } from '../../src/directory/read-options.ts'
import { ownerOfLink } from '../../src/users/links.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT, UsageError } from '../errors.ts'
import { pairs, type Report } from '../output.ts'

/**
 * The command `directory test`.
 * @param username absent: nobody is looked for
 * @throws ConfigError; UsageError if there is no directory
 */
export async function testDirectory(context: CommandContext, username: string | undefined): Promise<Report> {
  const { settings } = context.config
  if (settings.ldap_url === undefined) throw new UsageError('There is no directory: LDAP_URL is not set.')
  const options = { ...(await readDirectoryOptions(settings)), settings, now: Date.now }
  const { host, port } = options.server
  const examined = await examineDirectory(options, username && nameForm(username))
  if (examined.wrong !== undefined) {
    const { found, advice } = examined.wrong
    return { text: `${sentence(found)}\n${advice}`, json: { wrong: found, advice }, exit: EXIT.refused }
  }
  const works = `The directory at ${host}:${port} answers, and redmint may look for people there.`
  if (username === undefined) return { text: works, json: { answers: true } }
  const { entry } = examined
  if (entry === 'nobody' || entry === 'several') {
    const found = entry === 'nobody' ? 'finds no entry' : 'finds several entries, so that none counts'
    const wrong = `LDAP_USER_FILTER ${found} for this name below LDAP_BASE_DN.`
    return { text: `${works}\n${wrong}`, json: { answers: true, entry: null, wrong }, exit: EXIT.refused }
  }
  return describe(context, works, entry)
}

async function describe(context: CommandContext, works: string, entry: ExaminedEntry): Promise<Report> {
  const { settings } = context.config
  const { dn, is_disabled, id, username, groups, person } = entry
  const account = await accountOf(context, person?.link)
  const wrong = [
    ...(id === undefined ? [`The entry has no ${settings.ldap_id_attribute}: see LDAP_ID_ATTRIBUTE.`] : []),
    ...(username === undefined
      ? [`The entry has no ${settings.ldap_username_attribute}: see LDAP_USERNAME_ATTRIBUTE.`]
      : []),
    ...(is_disabled ? ['The directory disabled it.'] : []),
  ]
  const claims = { ...(person?.email && { email: person.email.text }), ...claimsOf(person?.fields ?? {}) }
  const rows: [string, string][] = [
    ['entry', dn],
    ['state', is_disabled ? 'disabled' : 'active'],
    ['username', username ?? ''],
    ['id', id ?? ''],
    ...Object.entries(claims).map(([name, value]): [string, string] => [name, value]),
    ['groups', groups === undefined ? 'are not read' : groups.join(', ')],
    ['linked subject', person?.link ?? ''],
    ['account here', account ?? (settings.ldap_creates_users ? 'none, the first sign-in makes one' : 'none')],
  ]
  const json = { answers: true, entry: { dn, is_disabled, id, username, groups, claims, account }, wrong }
  return {
    text: [works, ...wrong, '', pairs(rows)].join('\n'),
    json,
    ...(wrong.length > 0 && { exit: EXIT.refused }),
  }
}

/** The groups have a row of their own. */
const claimsOf = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('claim:')))

async function accountOf({ storage }: CommandContext, link: string | undefined): Promise<string | undefined> {
  const owner = link === undefined ? 'nobody' : await ownerOfLink({ storage }, link)
  if (owner === 'nobody') return undefined
  return owner === 'several' ? 'several, so that none counts' : owner.user.username
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
