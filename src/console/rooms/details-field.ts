import type { Html } from '../../pages/html.ts'
import { lines, more } from '../pages/fields.ts'

/** Asks what an application asks for in detail, which few do. */
export const detailsField = (value: string | undefined): Html =>
  more(
    'Details',
    lines({
      ...{
        name: 'authorization_details',
        label: 'What it asks for in detail',
        field: 'authorization_details',
      },
      ...{ value, hint: 'A list of objects as JSON, as the application sends it' },
    }),
    value !== undefined && value !== '',
  )
