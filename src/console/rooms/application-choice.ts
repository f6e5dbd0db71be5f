import type { Html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { choice, line } from '../pages/fields.ts'
import type { ShownClient } from './application-kind.ts'

/** Of so many applications one is chosen from a list; of more its client id is typed. */
const MOST = '200'

interface Asked {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  /** Empty: one must be chosen. */
  readonly none: string
  readonly hint: string
  /** What is said besides where the client id is typed. */
  readonly typed: string
  /** Which may be chosen; absent: each. */
  readonly fits?: (one: ShownClient) => boolean
}

/** Asks for an application: by its name, where there are few and the operator may see them. */
export async function applicationChoice(
  desk: Desk,
  { name, label, value = '', none, hint, typed, fits = () => true }: Asked,
): Promise<Html> {
  const required = none === ''
  const found = desk.may('list_clients')
    ? (await desk.ask('list_clients', { query: { limit: MOST } })).body
    : undefined
  const options = (found?.items ?? [])
    .filter(fits)
    .map(({ client_id, client_name }) => [client_id, String(client_name || client_id)] as const)
  // Links name applications that describe themselves, too, which no list has.
  const is_listed = value === '' || options.some(([client_id]) => client_id === value)
  if (found === undefined || found.next !== undefined || !is_listed)
    return line({ name, label, value, hint: `${hint} ${typed}`.trim(), required, known: options })
  const sorted = options.toSorted(([, one], [, other]) => one.localeCompare(other, 'en'))
  return choice({ name, label, value, ...(hint !== '' && { hint }), required }, [['', none], ...sorted])
}
