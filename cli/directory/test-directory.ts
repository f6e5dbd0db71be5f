import type { AnswerOf } from '../../src/admin/operations.ts'
import { present } from '../../src/core/present.ts'
import type { Calls } from '../calls.ts'
import { EXIT, ofSettings } from '../errors.ts'
import { pairs, type Report } from '../output.ts'

/**
 * The command `directory test`.
 * @param username absent: nobody is looked for
 * @throws UsageError if there is no directory, or its settings cannot be used
 */
export async function testDirectory({ call }: Calls, username: string | undefined): Promise<Report> {
  const tested = await ofSettings(call('test_directory', { body: present({ username }) }))
  const { server, wrong, entries, entry } = tested
  if (wrong !== undefined) {
    const { found, advice } = wrong
    return { text: `${sentence(found)}\n${advice}`, json: { wrong: found, advice }, exit: EXIT.refused }
  }
  const works = `The directory at ${server} answers, and redmint may look for people there.`
  if (entries === undefined) return { text: works, json: { answers: true } }
  if (entry === undefined) {
    const found = entries === 'none' ? 'finds no entry' : 'finds several entries, so that none counts'
    const wrong = `LDAP_USER_FILTER ${found} for this name below LDAP_BASE_DN.`
    return { text: `${works}\n${wrong}`, json: { answers: true, entry: null, wrong }, exit: EXIT.refused }
  }
  return describe(works, entry)
}

type Entry = NonNullable<AnswerOf<'test_directory'>['entry']>

function describe(works: string, entry: Entry): Report {
  const { dn, is_disabled, id, username, groups, claims, linked_subject, accounts, wrong } = entry
  const account = accounts === 'several' ? 'several, so that none counts' : entry.account
  const rows: [string, string][] = [
    ['entry', dn],
    ['state', is_disabled ? 'disabled' : 'active'],
    ['username', username ?? ''],
    ['id', id ?? ''],
    ...Object.entries(claims),
    ['groups', groups === undefined ? 'are not read' : groups.join(', ')],
    ['linked subject', linked_subject ?? ''],
    ['account here', account ?? (accounts === 'made' ? 'none, the first sign-in makes one' : 'none')],
  ]
  return {
    text: [works, ...wrong, '', pairs(rows)].join('\n'),
    json: { answers: true, entry: { dn, is_disabled, id, username, groups, claims, account }, wrong },
    ...(wrong.length > 0 && { exit: EXIT.refused }),
  }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
