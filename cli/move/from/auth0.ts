import { isObject, parseJson } from '../../../src/core/json.ts'
import { Refusal } from '../../errors.ts'
import { convertClient } from './auth0-client.ts'
import { userIdOf } from './auth0-id.ts'
import { convertUser } from './auth0-user.ts'
import type { Conversion, Converted, ForeignFile, LeftBehind } from './converted.ts'

/**
 * Converts files of Auth0: the clients of the Management API as JSON, or users, one in each line, as the export of users
 * or that of password hashes has them.
 * @param passwords the export of password hashes, for the users of the other one
 */
export async function* convertAuth0(file: ForeignFile, passwords: ForeignFile | undefined): Conversion {
  const hashes = passwords === undefined ? new Map<string, string>() : await hashesOf(passwords)
  if (await isOneDocument(file)) {
    const document = await file.json()
    const entries = isObject(document) ? (document.clients ?? document.users) : document
    if (!Array.isArray(entries)) throw new Refusal('The file has neither clients nor users of Auth0.')
    for (const [index, value] of entries.entries()) yield convert(`[${index}]`, value, hashes)
    return
  }
  for await (const { number, text } of file.lines()) yield convert(`line ${number}`, parseJson(text), hashes)
}

function convert(place: string, value: unknown, hashes: ReadonlyMap<string, string>): Converted | LeftBehind {
  if (isObject(value) && typeof value.client_id === 'string') return convertClient(place, value)
  if (isObject(value) && userIdOf(value) !== undefined) return convertUser(place, value, hashes)
  return { place, name: '', left_behind: 'it is neither a client nor a user of Auth0' }
}

/** A list, or one object over several lines. */
async function isOneDocument(file: ForeignFile): Promise<boolean> {
  for await (const { text } of file.lines()) return !isObject(parseJson(text))
  return true
}

async function hashesOf(file: ForeignFile): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for await (const { number, text } of file.lines()) {
    const value = parseJson(text)
    const id = isObject(value) ? userIdOf(value) : undefined
    if (!isObject(value) || id === undefined)
      throw new Refusal(`Line ${number} of the password hashes is no user of Auth0.`)
    if (typeof value.passwordHash === 'string') hashes.set(id, value.passwordHash)
  }
  return hashes
}
