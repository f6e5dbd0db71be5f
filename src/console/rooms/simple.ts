import type { SectionName } from '../sections.ts'
import type { Noted } from './noted.ts'
import { PROVIDER_USE } from './provider-use.ts'

export type SimpleId = 'provider' | 'resource' | 'issuer'

/** A kind of plain record: a list, a page, and forms to add, edit and remove one. */
export interface SimpleRows {
  readonly section: SectionName
  /** "API" */
  readonly noun: string
  readonly title: string
  /** Of the list, below the console. */
  readonly path: `/${string}`
  /** The field with the id, the name of the parameter in paths, and as in `list_resources` and `read_resource`. */
  readonly id: SimpleId
  /** The fields at the top of forms. */
  readonly first: readonly string[]
  readonly empty: string
  /** What servers noted of each record, for its row and its page. */
  readonly noted?: Noted
}

/** The kinds of plain records. */
export const SIMPLE: readonly SimpleRows[] = [
  {
    section: 'providers',
    noun: 'a provider',
    title: 'Providers',
    path: '/providers',
    id: 'provider',
    first: [
      'kind',
      'name',
      'issuer',
      'client_id',
      'client_secret',
      'scope',
      'creates_users',
      'links_by_email',
    ],
    empty: 'Nobody signs in by another site. Add a provider, such as Google or your company.',
    noted: PROVIDER_USE,
  },
  {
    section: 'apis',
    noun: 'an API',
    title: 'APIs',
    path: '/apis',
    id: 'resource',
    first: ['resource_name', 'scopes', 'access_token_format', 'access_token_ttl'],
    empty: 'No API is registered: tokens are for this server. Add one to have tokens for it alone.',
  },
  {
    section: 'issuers',
    noun: 'a trusted issuer',
    title: 'Trusted issuers',
    path: '/issuers',
    id: 'issuer',
    first: ['jwks_uri', 'algorithms', 'audience'],
    empty: 'No other issuer is trusted: its assertions would stand for clients and people.',
  },
]
