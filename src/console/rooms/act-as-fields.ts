import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { line } from '../pages/fields.ts'
import type { ConsoleRequest } from '../rows.ts'
import { apiChoice } from './api-choice.ts'
import { applicationChoice } from './application-choice.ts'

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
  return html`${application}${await apiChoice(desk, { name: 'resource', label: 'At which API', value: form.resource, none: '' })}${why}${scope}`
}
