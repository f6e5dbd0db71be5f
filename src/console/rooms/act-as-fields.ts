import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { choice, line } from '../pages/fields.ts'
import type { ConsoleRequest } from '../rows.ts'
import { applicationChoice } from './application-choice.ts'

/** Of so many APIs one is chosen from a list; of more its address is typed. */
const MOST = '200'

/** Asks where an operator acts as a person, and why. */
export async function actAsFields(desk: Desk, { form }: ConsoleRequest): Promise<Html> {
  const application = await applicationChoice(desk, {
    ...{ name: 'client_id', label: 'As which application', value: form.client_id, none: '' },
    hint: 'The API sees the person as this application knows the person.',
    typed: 'The client id of the application.',
  })
  const why = line({
    ...{ name: 'reason', label: 'Why', value: form.reason, required: true },
    hint: 'Such as the number of a ticket. It is kept with the event; the person and the API do not see it.',
  })
  const scope = line({
    ...{ name: 'scope', label: 'Scopes', note: 'optional', value: form.scope, field: 'scope' },
    hint: 'Empty: all scopes of the API that the application may obtain.',
  })
  return html`${application}${await apiChoice(desk, form.resource)}${why}${scope}`
}

async function apiChoice(desk: Desk, value = ''): Promise<Html> {
  const asked = { name: 'resource', label: 'At which API', value, required: true } as const
  const found = desk.may('list_resources')
    ? (await desk.ask('list_resources', { query: { limit: MOST } })).body
    : undefined
  const options = (found?.items ?? []).map(
    ({ resource, resource_name }) => [resource, String(resource_name || resource)] as const,
  )
  const is_listed = value === '' || options.some(([resource]) => resource === value)
  if (found === undefined || found.next !== undefined || !is_listed)
    return line({ ...asked, hint: 'Its address, as it is registered here.', known: options })
  return choice(asked, [['', ''], ...options])
}
