import type { OperationName } from '../admin/operations.ts'
import type { IconName } from '../pages/icons.ts'
import type { ConsoleSection, SectionGroup } from '../service/section.ts'

/** A link of the side bar. */
interface Section {
  readonly title: string
  readonly path: string
  /** Whose right it needs; undefined: everybody may see it. */
  readonly operation: OperationName | undefined
  /** Absent: it stands above the groups. */
  readonly group?: SectionGroup
  readonly icon: IconName
}

/** The sections of the console, in the order of the side bar. */
export const SECTIONS = {
  home: { title: 'Home', path: '', operation: undefined, icon: 'home' },
  people: {
    ...{ title: 'People', path: '/people', operation: 'list_users', group: 'Accounts' },
    icon: 'people',
  },
  invitations: {
    ...{ title: 'Invitations', path: '/invitations', operation: 'list_user_invitations', group: 'Accounts' },
    icon: 'mail',
  },
  groups: {
    ...{ title: 'Groups', path: '/groups', operation: 'list_clients', group: 'Accounts' },
    icon: 'groups',
  },
  sessions: {
    ...{ title: 'Sessions', path: '/sessions', operation: 'list_newest_sessions', group: 'Accounts' },
    icon: 'screen',
  },
  applications: {
    ...{ title: 'Applications', path: '/applications', operation: 'list_clients', group: 'Connections' },
    icon: 'applications',
  },
  apis: {
    ...{ title: 'APIs', path: '/apis', operation: 'list_resources', group: 'Connections' },
    icon: 'braces',
  },
  details: {
    ...{ title: 'Details', path: '/details', operation: 'list_detail_types', group: 'Connections' },
    icon: 'list',
  },
  providers: {
    ...{ title: 'Providers', path: '/providers', operation: 'list_providers', group: 'Connections' },
    icon: 'link',
  },
  issuers: {
    ...{ title: 'Trusted issuers', path: '/issuers', operation: 'list_issuers', group: 'Connections' },
    icon: 'shield',
  },
  'other-servers': {
    ...{
      title: 'Other servers',
      path: '/other-servers',
      operation: 'list_applications',
      group: 'Connections',
    },
    icon: 'arrow',
  },
  explain: {
    ...{ title: 'Explain', path: '/explain', operation: 'list_explanations', group: 'Answers' },
    icon: 'question',
  },
  'what-if': {
    ...{ title: 'What if', path: '/explain/what-if', operation: 'what_if', group: 'Answers' },
    icon: 'branches',
  },
  events: {
    ...{ title: 'Events', path: '/events', operation: 'list_events', group: 'Answers' },
    icon: 'list',
  },
  health: {
    ...{ title: 'Health', path: '/server', operation: 'read_server', group: 'Server' },
    icon: 'servers',
  },
  settings: {
    ...{ title: 'Settings', path: '/settings', operation: 'read_settings', group: 'Server' },
    icon: 'sliders',
  },
} as const satisfies Record<string, Section>

/** A section of a room is called by its path. */
export type SectionName = keyof typeof SECTIONS | ConsoleSection['path']
