import type { Edited } from '../edit.ts'
import type { SectionName } from '../sections.ts'
import { hostOf } from './issuers.ts'
import { providerName } from './provider-state.ts'
import { RECORD_FORMS, type SimpleId } from './record-forms.ts'

/** A kind of plain record: forms to add, edit and remove one. */
export interface SimpleRows {
  readonly section: SectionName
  /** "API" */
  readonly noun: string
  /** Of the list, below the console. */
  readonly path: `/${string}`
  /** The field with the id, the name of the parameter in paths, and as in `list_resources` and `read_resource`. */
  readonly id: SimpleId
  /** What its id is called in the form that adds one, and what stands below that. */
  readonly id_label: string
  readonly id_hint: string
  /** What one is called. */
  readonly called: (record: Readonly<Record<string, unknown>>) => string
  readonly form: Edited['form']
}

/** The kinds of plain records. */
export const SIMPLE: readonly SimpleRows[] = [
  {
    section: 'providers',
    noun: 'provider',
    path: '/providers',
    id: 'provider',
    id_label: 'Name in addresses',
    id_hint: 'Small letters, such as google: it is in the address to which people come back',
    called: (record) => providerName(record),
    form: RECORD_FORMS.provider,
  },
  {
    section: 'apis',
    noun: 'API',
    path: '/apis',
    id: 'resource',
    id_label: 'Address',
    id_hint: 'A URI as the API knows it, such as https://orders.example.com. Tokens for it say this address',
    called: ({ resource_name = '' }) => String(resource_name),
    form: RECORD_FORMS.resource,
  },
  {
    section: 'details',
    noun: 'type of details',
    path: '/details',
    id: 'detail_type',
    id_label: 'Type',
    id_hint: 'As applications name it, such as payment',
    called: ({ detail_type = '' }) => String(detail_type),
    form: RECORD_FORMS.detail_type,
  },
  {
    section: 'issuers',
    noun: 'trusted issuer',
    path: '/issuers',
    id: 'issuer',
    id_label: 'Issuer',
    id_hint: 'Its address, character by character as its assertions say it',
    called: ({ issuer = '' }) => hostOf(String(issuer)),
    form: RECORD_FORMS.issuer,
  },
  {
    section: 'other-servers',
    noun: 'other server',
    path: '/other-servers',
    id: 'application',
    id_label: 'Issuer',
    id_hint: 'Its address, character by character as it says it itself',
    called: ({ application_name, application = '' }) =>
      String(application_name ?? hostOf(String(application))),
    form: RECORD_FORMS.application,
  },
]
