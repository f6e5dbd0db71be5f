import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'

/** The two names in what `browserName` returns. */
const NAMES = /^(.+) on (.+)$/

/** A browser as its person calls it. @param name as `browserName` returns it */
export function browserText(name: string, language: Language): Html {
  const [, browser, system] = NAMES.exec(name) ?? []
  return browser === undefined || system === undefined
    ? html`${name}`
    : say(language, 'own_browser', { browser, system })
}
