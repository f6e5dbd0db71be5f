import type { AuditEntry } from './entry.ts'
import { EVENT_SENTENCES, type ToldEntry } from './sentence-texts.ts'
import { changedWords, wordsOf } from './sentence-words.ts'

/** A part of a sentence: words, or what a name stands for. */
export type SentencePart =
  | string
  | {
      readonly kind: string
      readonly id?: string | undefined
      readonly username?: string | undefined
      readonly shown: string
    }

const PLACES = /(\{=?\w+\})/
const PLACE = /^\{(=?)(\w+)\}$/

type Named = AuditEntry['targets'][number]

/** What acts, if nothing is known of it but its kind. */
const NAMELESS: Readonly<Record<string, string>> = {
  user: 'Somebody',
  operator: 'An operator',
  client: 'An application',
  system: 'The server',
}

/**
 * Returns what an entry says as one sentence, in parts: who acts first. People are called by their names, or else by their
 * usernames; somebody who is not here any more has none.
 */
export function sentenceOf(entry: AuditEntry): readonly SentencePart[] {
  const { event, actor, targets, details = {}, changes = [] } = entry
  const targetOf = (kind: string) => targets.find((target) => target.kind === kind)
  const told: ToldEntry = {
    detail: (name) => details[name],
    isAbout: (kind) => targetOf(kind) !== undefined,
    is_own: actor.id !== undefined && actor.id === targetOf('user')?.id,
    changed: changedWords(changes.map(({ field }) => field)),
  }
  const text = EVENT_SENTENCES[event as keyof typeof EVENT_SENTENCES]
  const sentence = typeof text === 'string' ? text : text(told)
  const filled = sentence.split(PLACES).flatMap((part): readonly SentencePart[] => {
    const [, is_detail, name = ''] = PLACE.exec(part) ?? []
    if (is_detail === undefined) return part === '' ? [] : [part]
    if (is_detail === '=')
      return [{ kind: 'text', shown: [details[name] ?? ''].flat().map(String).join(', ') }]
    if (name === 'actor') return [actorOf(entry)]
    const target = targetOf(name)
    return [target === undefined ? wordsOf(WITHOUT, name, 'something') : partOf(target)]
  })
  const times = Number(details.times)
  const [first, ...rest] = times > 1 ? [...filled, `, ${timesOf(times)}`] : filled
  if (first === undefined) return []
  // A name keeps its letters.
  if (typeof first === 'string') return [upper(first), ...rest]
  return [first.kind === 'gone' ? { ...first, shown: upper(first.shown) } : first, ...rest]
}

/** What stands for something that the entry does not name. */
const WITHOUT: Readonly<Record<string, string>> = { user: 'somebody', client: 'an application' }

/** Returns how often something happened, in words. */
export const timesOf = (count: number): string => (count === 2 ? 'twice' : `${String(count)} times`)

function actorOf({ actor, targets }: AuditEntry): SentencePart {
  const { kind, id, username, name } = actor
  if (kind === 'client' && id !== undefined) {
    const known = targets.find((target) => target.kind === 'client' && target.id === id)
    return { kind, id, shown: name ?? known?.name ?? id }
  }
  if (username !== undefined) return { kind: 'user', id, username, shown: name ?? username }
  return id === undefined ? wordsOf(NAMELESS, kind, 'Somebody') : { kind: 'gone', shown: unknown(id) }
}

function partOf({ kind, id, username, name }: Named): SentencePart {
  if (kind !== 'user' && kind !== 'inviter') return { kind, id, shown: name ?? id }
  return username === undefined
    ? { kind: 'gone', shown: unknown(id) }
    : { kind: 'user', id, username, shown: name ?? username }
}

/** Somebody who is removed, or whom no index leads to yet: the id is all that tells who it was. */
const unknown = (id: string) => `somebody unknown (${id})`

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns a sentence as plain text. */
export const plainSentence = (parts: readonly SentencePart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.shown)).join('')
