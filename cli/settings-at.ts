import { AdminError } from '../src/admin/operation/problem.ts'
import type { Settings } from '../src/config/settings.ts'
import { parseJson } from '../src/core/json.ts'
import type { Calls } from './calls.ts'

/**
 * Returns the settings that count where a command works: on the host those of its environment, at a server those of the
 * server, without secrets. Undefined: who asks may not see those of the server.
 * @throws as Calls.call
 */
export async function settingsAt({ call }: Calls): Promise<Partial<Settings> | undefined> {
  try {
    const { items } = await call('read_settings')
    return Object.fromEntries(
      items.map(({ name, value }) => [name, value === undefined ? undefined : parseJson(value)]),
    )
  } catch (error) {
    if (error instanceof AdminError && error.code === 'missing_scope') return undefined
    throw error
  }
}
