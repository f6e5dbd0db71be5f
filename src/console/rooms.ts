import type { ConsoleSection } from '../service/section.ts'
import { ACCESS_PAGES } from './rooms/access.ts'
import { ACTING_ACTIONS, ACTING_PAGES } from './rooms/acting.ts'
import { ADD_MANY } from './rooms/add-many.ts'
import { ADD_PERSON } from './rooms/add-person.ts'
import { API_PAGES } from './rooms/apis.ts'
import { APPLICATION_PAGES } from './rooms/application.ts'
import { APPLICATION_ACCESS_PAGES } from './rooms/application-access.ts'
import { APPLICATION_ACTIONS } from './rooms/application-actions.ts'
import { APPLICATION_CONNECTION_PAGES } from './rooms/application-connection.ts'
import { PREVIEW_ACTIONS } from './rooms/application-previews.ts'
import { APPLICATION_LIST } from './rooms/applications.ts'
import { DETAIL_PAGES } from './rooms/details.ts'
import { EDIT_PERSON } from './rooms/edit-person.ts'
import { EVENT_PAGES } from './rooms/events.ts'
import { EXPLAIN_PAGES } from './rooms/explain.ts'
import { GROUP_PAGES } from './rooms/groups.ts'
import { HOME_PAGES } from './rooms/home.ts'
import { INVITATION_ACTIONS, INVITATION_PAGES } from './rooms/invitations.ts'
import { ISSUER_PAGES } from './rooms/issuers.ts'
import { NEW_APPLICATION } from './rooms/new-application.ts'
import { NEWEST_SESSION_PAGES } from './rooms/newest-sessions.ts'
import { OTHER_SERVER_PAGES } from './rooms/other-servers.ts'
import { PEOPLE_PAGES } from './rooms/people.ts'
import { PEOPLE_LIST } from './rooms/people-list.ts'
import { END_ALL, PERSON_ACCESS_ACTIONS } from './rooms/person-access-actions.ts'
import { PERSON_ACTIONS } from './rooms/person-actions.ts'
import { PROVIDER_PAGE } from './rooms/provider.ts'
import { PROVIDER_ACTIONS } from './rooms/provider-actions.ts'
import { PROVIDER_PAGES } from './rooms/providers.ts'
import { RECORD_ACTIONS } from './rooms/record-actions.ts'
import { SEARCH_ACTIONS, SEARCH_PAGES } from './rooms/search.ts'
import { SERVER_ACTIONS, SERVER_PAGES } from './rooms/server.ts'
import { SETTING_PAGES } from './rooms/settings.ts'
import { TOKEN_ACTIONS } from './rooms/tokens.ts'
import { TRY_PAGES } from './rooms/try-sign-in.ts'
import { WHAT_IF_ACTIONS } from './rooms/what-if.ts'
import type { ConsoleAction, ConsolePage } from './rows.ts'

/** The pages of the console. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  ...[...HOME_PAGES, ...SEARCH_PAGES, ...PEOPLE_LIST, ...PEOPLE_PAGES, ...ACCESS_PAGES],
  ...[...NEWEST_SESSION_PAGES, ...INVITATION_PAGES],
  ...[
    ...APPLICATION_LIST,
    ...APPLICATION_PAGES,
    ...APPLICATION_ACCESS_PAGES,
    ...APPLICATION_CONNECTION_PAGES,
    ...ACTING_PAGES,
    ...TRY_PAGES,
    ...GROUP_PAGES,
    ...[...API_PAGES, ...DETAIL_PAGES, ...PROVIDER_PAGES, ...PROVIDER_PAGE],
    ...[...ISSUER_PAGES, ...OTHER_SERVER_PAGES],
  ],
  ...[...EXPLAIN_PAGES, ...EVENT_PAGES, ...SERVER_PAGES, ...SETTING_PAGES],
]

/** Returns the page of a section that a room brings. */
export const pageOf = ({ path, title, scope, show }: ConsoleSection): ConsolePage => ({
  ...{ path, scope },
  show: async (_desk, { query }) => ({ title, section: path, body: await show(query) }),
})

/** What operators do in the console. */
export const CONSOLE_ACTIONS: readonly ConsoleAction[] = [
  ...[
    ...ADD_PERSON,
    ...ADD_MANY,
    ...EDIT_PERSON,
    ...PERSON_ACTIONS,
    ...PERSON_ACCESS_ACTIONS,
    ...END_ALL,
    ...INVITATION_ACTIONS,
    ...NEW_APPLICATION,
    ...APPLICATION_ACTIONS,
    ...PREVIEW_ACTIONS,
  ],
  ...[
    ...RECORD_ACTIONS,
    ...PROVIDER_ACTIONS,
    ...WHAT_IF_ACTIONS,
    ...TOKEN_ACTIONS,
    ...ACTING_ACTIONS,
    ...SERVER_ACTIONS,
    ...SEARCH_ACTIONS,
  ],
]
