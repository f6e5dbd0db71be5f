import type { Person } from '../support/browser/stage.ts'
import type { Connected } from './connected.ts'

/**
 * Signs alice in to an application that sends her to redmint.
 * @param path the page of the application that does; absent if she is there already
 * @returns what the application shows then: JSON
 */
export async function signInAt(person: Person, app: Connected, path?: string): Promise<unknown> {
  const { page } = person
  if (path !== undefined) await page.goto(app.origin + path)
  await person.sees('Sign in')
  await person.signIn()
  await person.sees(`Allow ${app.client_id} to access your account?`)
  await person.press('allow')
  await page.waitForURL((url) => url.origin === app.origin)
  const text = (await page.textContent('body')) ?? ''
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`no JSON at ${page.url()}: ${text.slice(0, 500)}`)
  }
}
