import type { BodyOf } from '../../src/admin/operations.ts'
import { REASONS, type Reason } from '../../src/core/reasons.ts'
import { type ReasonLanguage, textOf } from '../../src/explain/texts.ts'
import type { Calls } from '../calls.ts'
import { EXIT } from '../errors.ts'
import { pairs, type Report, table } from '../output.ts'

/** The command `explain --user`. The exit code says whether the user would get in. */
export async function showWhatIf(
  { call }: Calls,
  asked: BodyOf<'what_if'>,
  language: ReasonLanguage,
): Promise<Report> {
  const answer = await call('what_if', { body: asked })
  const { allowed, rules, asks_consent, tokens } = answer
  const rows = rules.map(({ rule, passed, reason, received, expected }) => [
    rule,
    passed ? 'passed' : 'refused',
    reason ?? '',
    received === undefined ? '' : JSON.stringify(received),
    expected === undefined ? '' : JSON.stringify(expected),
  ])
  const parts = [
    allowed
      ? `The user would get in${asks_consent ? ', and be asked to agree first' : ''}.`
      : 'The user would not get in.',
    table(['RULE', 'RESULT', 'REASON', 'RECEIVED', 'EXPECTED'], rows),
    ...rules.flatMap(({ reason }) => wordsOf(reason, language)),
  ]
  if (tokens !== undefined) {
    const { access_token, refresh_token, id_token, userinfo } = tokens
    parts.push(
      pairs([
        ['access token', JSON.stringify(access_token)],
        ['refresh token', refresh_token ? 'yes' : 'no'],
        ['id_token', id_token === undefined ? 'none' : JSON.stringify(id_token)],
        ['userinfo', userinfo === undefined ? 'none' : JSON.stringify(userinfo)],
      ]),
    )
  }
  return { text: parts.join('\n\n'), json: answer, exit: allowed ? EXIT.done : EXIT.refused }
}

/** The command `explain --user --exchange`. The exit code says whether the client would get a token. */
export async function showWhatIfExchange(
  { call }: Calls,
  asked: BodyOf<'what_if_exchange'>,
  language: ReasonLanguage,
): Promise<Report> {
  const answer = await call('what_if_exchange', { body: asked })
  const { allowed, rules, token } = answer
  const rows = rules.map(({ rule, passed, reason, received, expected }) => [
    rule,
    passed ? 'passed' : 'refused',
    reason ?? '',
    received === undefined ? '' : JSON.stringify(received),
    expected === undefined ? '' : JSON.stringify(expected),
  ])
  const parts = [
    allowed ? 'The client could act for the user.' : 'The client could not act for the user.',
    table(['RULE', 'RESULT', 'REASON', 'RECEIVED', 'EXPECTED'], rows),
    ...rules.flatMap(({ reason }) => wordsOf(reason, language)),
    ...(token === undefined ? [] : [pairs([['access token', JSON.stringify(token)]])]),
  ]
  return { text: parts.join('\n\n'), json: answer, exit: allowed ? EXIT.done : EXIT.refused }
}

/** What a reason means, and what to change. A server of another version may have one that is not known here. */
function wordsOf(given: string | undefined, language: ReasonLanguage): string[] {
  const reason = (Object.keys(REASONS) as Reason[]).find((name) => name === given)
  if (reason === undefined) return []
  const { what, advice } = textOf(reason, language)
  return [`${what}\n${advice}`]
}
