import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import { isCanonicalTag, LANGUAGE_TAGS } from '../config/language-tags.ts'
import { parseJson } from '../core/json.ts'
import { Languages } from '../pages/languages.ts'
import { en } from '../pages/messages/en.ts'
import type { Language } from '../pages/messages/language.ts'
import { builtIn } from '../texts/built-in.ts'

const EXTENSION = '.json'
const MAX_FILES = 100
const [, ...TRANSLATED] = LANGUAGE_TAGS

/**
 * Loads the languages of redmint, with what the files of an operator change or add.
 * @param folder absent: there are no such files
 * @param setting how the operator calls it: by the variable, or by the option of the plugin
 * @throws ConfigError that lists all problems, each with its file and key
 */
export async function loadLanguages(
  folder?: string,
  setting: 'LANGUAGES_DIR' | 'languages_dir' = 'LANGUAGES_DIR',
): Promise<Languages> {
  const own = TRANSLATED.map(builtIn)
  if (folder === undefined) return new Languages([en, ...own])
  const { readLanguage } = await import('./read-language.ts')
  const problems: string[] = []
  const languages = new Map<string, Language>([en, ...own].map((language) => [language.tag, language]))
  for (const name of await filesOf(folder, setting)) {
    const path = join(folder, name)
    const tag = name.slice(0, -EXTENSION.length)
    if (!isCanonicalTag(tag)) {
      problems.push(`${setting}: ${path}: the name must be a language tag such as fr.json or pt-BR.json`)
      continue
    }
    const faults: string[] = []
    const file = parseJson(await readFile(path, 'utf8'))
    languages.set(tag, readLanguage(tag, file, languages.get(tag), faults))
    problems.push(...faults.map((fault) => `${setting}: ${path}: ${fault}`))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  const { en: english = en, ...others } = Object.fromEntries(languages)
  return new Languages([english, ...Object.values(others)])
}

async function filesOf(folder: string, setting: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION)).sort()
    if (names.length <= MAX_FILES) return names
  } catch (error) {
    throw new ConfigError([`${setting}: ${folder} cannot be read: ${(error as Error).message}`])
  }
  throw new ConfigError([`${setting}: ${folder} has more than ${MAX_FILES} files`])
}
