import { COMMAND_CLIENT } from '../src/admin/command-client.ts'
import { CONSOLE_CLIENT } from '../src/console/client.ts'
import { isAdminScope } from '../src/core/admin-scopes.ts'
import { scopeNames } from '../src/core/scope.ts'
import { DEMO_CLIENT_IDS } from '../src/demo/demo-clients.ts'

// What a list of clients or a file of another system gives: no right at the admin API. Somebody may have registered himself
// with such a scope at the system that the file is from, where it means nothing.

const OWN_CLIENTS: ReadonlySet<string> = new Set([COMMAND_CLIENT, CONSOLE_CLIENT, ...DEMO_CLIENT_IDS])

/** Whether redmint itself uses a client_id. */
export const isOwnClient = (client_id: string): boolean => OWN_CLIENTS.has(client_id)

/** Why a client whose id redmint uses itself is not taken from a file, as text that follows its name. */
export const OWN_CLIENT = 'has an id that redmint uses itself: give it another one'

/** Why a scope of the admin API is not taken from a file. */
export const rightLost = (scope: string): string =>
  `${scope} is a right at the admin API, which no import gives: add it by hand`

/**
 * Returns the scopes of a file that may be taken, and those that are lost.
 * @param stored those that the client has already, separated by spaces
 */
export function withoutRights(
  scopes: readonly string[],
  stored = '',
): { readonly taken: readonly string[]; readonly lost: readonly string[] } {
  const has = scopeNames(stored)
  const lost = scopes.filter((name) => isAdminScope(name) && !has.includes(name))
  return { taken: scopes.filter((name) => !lost.includes(name)), lost }
}
