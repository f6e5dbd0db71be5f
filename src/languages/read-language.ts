import { isObject } from '../core/json.ts'
import { MAIL_TEXTS } from '../mail/messages/en.ts'
import { en } from '../pages/messages/en.ts'
import type { Language, Messages, Plural } from '../pages/messages/language.ts'
import { textProblem } from './text-problem.ts'

type Texts = Readonly<Record<string, unknown>>

const MEMBERS = ['name', 'dir', 'messages', 'mails']
const NAME_LENGTH = 40

/**
 * Reads a file of an operator: what it changes in a language, or a language of its own, whose other texts are English.
 * Adds what is wrong with it to `problems`, each with the key of the file.
 * @param tag a canonical language tag (RFC 5646 §4.5)
 */
export function readLanguage(
  tag: string,
  file: unknown,
  known: Language | undefined,
  problems: string[],
): Language {
  const given: Texts = isObject(file) ? file : {}
  if (!isObject(file)) problems.push('must be a JSON object')
  problems.push(
    ...Object.keys(given)
      .filter((key) => !MEMBERS.includes(key))
      .map((key) => `${key}: there is ${MEMBERS.join(', ')} and no other member`),
  )
  const base: Language = known ?? { ...en, tag }
  return {
    tag,
    name: nameIn(given, known, problems),
    dir: directionIn(given, base, problems),
    messages: { ...base.messages, ...messagesIn(tag, membersOf(given, 'messages', problems), problems) },
    mails: { ...base.mails, ...mailsIn(membersOf(given, 'mails', problems), problems) },
  }
}

function nameIn({ name }: Texts, known: Language | undefined, problems: string[]): string {
  if (name === undefined && known !== undefined) return known.name
  const problem =
    typeof name === 'string' ? textProblem(name, []) : 'must be the name of the language in itself'
  if (problem !== undefined) problems.push(`name: ${problem}`)
  else if (String(name).length > NAME_LENGTH)
    problems.push(`name: must have at most ${NAME_LENGTH} characters`)
  return String(name)
}

function directionIn({ dir = undefined }: Texts, base: Language, problems: string[]): 'ltr' | 'rtl' {
  if (dir === 'ltr' || dir === 'rtl') return dir
  if (dir !== undefined) problems.push('dir: must be ltr or rtl')
  return base.dir
}

function membersOf(given: Texts, member: string, problems: string[]): [name: string, text: unknown][] {
  const texts = given[member]
  if (texts === undefined) return []
  if (isObject(texts)) return Object.entries(texts)
  problems.push(`${member}: must be an object of texts`)
  return []
}

function messagesIn(tag: string, given: [string, unknown][], problems: string[]): Partial<Messages> {
  const english: Readonly<Record<string, string | Plural>> = en.messages
  const accepted = given.filter(([name, text]) => {
    const original = Object.hasOwn(english, name) ? english[name] : undefined
    const found =
      original === undefined
        ? [`messages.${name}: there is no such text`]
        : typeof original === 'string'
          ? faultsOf(`messages.${name}`, text, original)
          : pluralFaults(tag, `messages.${name}`, text, original)
    problems.push(...found)
    return found.length === 0
  })
  return Object.fromEntries(accepted) as Partial<Messages>
}

function mailsIn(given: [string, unknown][], problems: string[]): Record<string, string> {
  const accepted = given.filter(([name, text]) => {
    const original = MAIL_TEXTS.get(name)
    const found =
      original === undefined
        ? [`mails.${name}: there is no such text`]
        : faultsOf(`mails.${name}`, text, original)
    problems.push(...found)
    return found.length === 0
  })
  return Object.fromEntries(accepted) as Record<string, string>
}

function faultsOf(key: string, text: unknown, original: string): string[] {
  const problem = typeof text === 'string' ? textProblem(text, placeholdersOf(original)) : 'must be a text'
  return problem === undefined ? [] : [`${key}: ${problem}`]
}

function pluralFaults(tag: string, key: string, texts: unknown, original: Plural): string[] {
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
  if (!isObject(texts) || texts.other === undefined)
    return [`${key}: must have a text for other, and may have some for ${pluralCategories.join(', ')}`]
  return Object.entries(texts).flatMap(([category, text]) => {
    const at = `${key}.${category}`
    if (!pluralCategories.some((one) => one === category))
      return [`${at}: the categories of ${tag} are ${pluralCategories.join(', ')}`]
    // One and two are said without a number in some languages.
    const is_word = category !== 'other' && typeof text === 'string' && !text.includes('{')
    return faultsOf(at, text, is_word ? '' : original.other)
  })
}

const placeholdersOf = (text: string): string[] => text.match(/\{\w+\}/g) ?? []
