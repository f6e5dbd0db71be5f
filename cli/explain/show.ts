import type { ExplanationAnswer } from '../../src/admin/explanations.ts'
import { count } from '../../src/core/count.ts'
import type { ReasonLanguage } from '../../src/explain/texts.ts'
import type { Calls } from '../calls.ts'
import { pairs, type Report, table } from '../output.ts'
import { when } from '../when.ts'

/** Which explanations are wanted: one, or the last ones. */
export interface Wanted {
  readonly id: string | undefined
  readonly last: number | undefined
  readonly client_id: string | undefined
  readonly language: ReasonLanguage
}

const WORDS = {
  en: {
    at: 'at',
    request: 'request',
    trace: 'trace',
    endpoint: 'endpoint',
    client: 'client',
    reason: 'reason',
    received: 'received',
    expected: 'expected',
    passed: 'passed',
    advice: 'what to do',
    docs: 'docs',
    none: 'No refusal was found.',
    total: (number: number) => `${count(number, 'refusal')}.`,
    more: (count: number) => `${count} more like it are only counted.`,
  },
  de: {
    at: 'am',
    request: 'Anfrage',
    trace: 'Trace',
    endpoint: 'Endpunkt',
    client: 'Client',
    reason: 'Grund',
    received: 'erhalten',
    expected: 'erwartet',
    passed: 'bestanden',
    advice: 'was zu tun ist',
    docs: 'Doku',
    none: 'Es wurde keine Ablehnung gefunden.',
    total: (number: number) => `${number} ${number === 1 ? 'Ablehnung' : 'Ablehnungen'}.`,
    more: (count: number) => `${count} weitere dieser Art sind nur gezählt.`,
  },
} as const

/** The language of a shell, by its environment: German, or else English. */
export function languageOf({
  LC_ALL,
  LC_MESSAGES,
  LANG,
}: Readonly<Record<string, string | undefined>>): ReasonLanguage {
  return /^de\b|^de_/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'de' : 'en'
}

/** The command `explain <id>`. */
export async function showOne({ call, now }: Calls, id: string, language: ReasonLanguage): Promise<Report> {
  const found = await call('read_explanation', {
    params: { id },
    query: { lang: language },
  })
  return reportOf(found, now, language)
}

/** The command `explain --last`. */
export async function showLast({ call, now }: Calls, { last, client_id, language }: Wanted): Promise<Report> {
  const query = { last, lang: language, ...(client_id !== undefined && { client_id }) }
  const { items, off } = await call('list_explanations', { query })
  const { text, json } = listOf(items, now, language)
  return off === undefined
    ? { text, json }
    : { text: items.length === 0 ? off : text, json: { ...json, off } }
}

/** One explanation in words. */
export function reportOf(explanation: ExplanationAnswer, now: number, language: ReasonLanguage): Report {
  const words = WORDS[language]
  const { id, trace_id, at, endpoint, client_id, reason, sentence, passed, advice, docs, more } = explanation
  const rows: [string, string][] = [
    [words.reason, reason],
    [words.request, id],
    ...(trace_id === undefined ? [] : [[words.trace, trace_id] satisfies [string, string]]),
    [words.at, when(at, now)],
    [words.endpoint, endpoint],
    ...(client_id === undefined ? [] : [[words.client, client_id] satisfies [string, string]]),
  ]
  const parts = [
    sentence,
    pairs(rows),
    ...comparedText(explanation, language),
    pairs([
      ...(passed.length === 0 ? [] : [[words.passed, passed.join(', ')] as const]),
      [words.advice, advice],
      [words.docs, docs],
    ]),
    ...(more > 0 ? [words.more(more)] : []),
  ]
  return { text: parts.join('\n\n'), json: explanation }
}

/** The last explanations, a line each. */
export function listOf(
  items: readonly ExplanationAnswer[],
  now: number,
  language: ReasonLanguage,
): Report & { json: object } {
  const rows = items.map(({ at, id, endpoint, client_id, reason }) => [
    when(at, now),
    id,
    endpoint,
    client_id ?? '',
    reason,
  ])
  const list = table(['AT', 'REQUEST', 'ENDPOINT', 'CLIENT', 'REASON'], rows)
  const { none, total } = WORDS[language]
  const text = rows.length === 0 ? none : `${list}\n\n${total(rows.length)}`
  return { text, json: { explanations: items } }
}

/** What was received and expected under each other, with the first difference marked. */
function comparedText(
  { received, expected, differences }: ExplanationAnswer,
  language: ReasonLanguage,
): string[] {
  const words = WORDS[language]
  const marked = differences.map(({ name, received, expected, at }) => {
    const lines = pairs([
      [words.received, received],
      [words.expected, expected],
    ])
    const width = Math.max(words.received.length, words.expected.length) + 2
    return `${name}\n${lines}\n${' '.repeat(width + at)}^`
  })
  const told = new Set(differences.map(({ name }) => name))
  const rest = (facts: Readonly<Record<string, unknown>>, word: string) =>
    Object.entries(facts)
      .filter(([name]) => !told.has(name))
      .map(([name, value]) => [word, `${name}: ${textOf(value)}`] as const)
  const others = [...rest(received, words.received), ...rest(expected, words.expected)]
  return [...marked, ...(others.length === 0 ? [] : [pairs(others)])]
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(' ') || '–' : String(value))
