import type { OperationName } from '../admin/operations.ts'
import type { ConsoleSection } from '../service/section.ts'

/** The sections of the console, in the order of its navigation: their titles, paths and the operations that they need. */
export const SECTIONS = {
  home: { title: 'Home', path: '', operation: undefined },
  people: { title: 'People', path: '/people', operation: 'list_users' },
  invitations: { title: 'Invitations', path: '/invitations', operation: 'list_user_invitations' },
  applications: { title: 'Applications', path: '/applications', operation: 'list_clients' },
  groups: { title: 'Groups', path: '/groups', operation: 'list_clients' },
  providers: { title: 'Providers', path: '/providers', operation: 'list_providers' },
  apis: { title: 'APIs', path: '/apis', operation: 'list_resources' },
  issuers: { title: 'Trusted issuers', path: '/issuers', operation: 'list_issuers' },
  sessions: { title: 'Sessions', path: '/sessions', operation: 'list_newest_sessions' },
  explain: { title: 'Explain', path: '/explain', operation: 'list_explanations' },
  events: { title: 'Events', path: '/events', operation: 'list_events' },
  settings: { title: 'Settings', path: '/settings', operation: 'read_settings' },
} as const satisfies Record<
  string,
  { readonly title: string; readonly path: string; readonly operation: OperationName | undefined }
>

/** A section of a room is called by its path. */
export type SectionName = keyof typeof SECTIONS | ConsoleSection['path']
