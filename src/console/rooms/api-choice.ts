import type { Html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { choice, line } from '../pages/fields.ts'

/** Of so many APIs one is chosen from a list; of more its address is typed. */
const MOST = '200'

interface Asked {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
  /** What stands for none; empty: one must be chosen. */
  readonly none: string
}

/** Asks for an API: by its name, where there are few and the operator may see them. */
export async function apiChoice(desk: Desk, { none, value = '', ...more }: Asked): Promise<Html> {
  const asked = { ...more, value, required: none === '' }
  const found = desk.may('list_resources')
    ? (await desk.ask('list_resources', { query: { limit: MOST } })).body
    : undefined
  const options = (found?.items ?? []).map(
    ({ resource, resource_name }) => [resource, String(resource_name || resource)] as const,
  )
  const is_listed = value === '' || options.some(([resource]) => resource === value)
  if (found === undefined || found.next !== undefined || !is_listed) {
    const empty = none === '' ? '' : ` Empty: ${none}.`
    return line({ ...asked, hint: `Its address, as it is registered here.${empty}`, known: options })
  }
  return choice(asked, [['', none], ...options])
}
