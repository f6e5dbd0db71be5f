import type { Static } from '@sinclair/typebox'
import { ACTING_OPERATIONS } from './access/acting-operations.ts'
import { ACCESS_OPERATIONS } from './access/operations.ts'
import { APPLICATION_OPERATIONS } from './applications/applications.ts'
import { AUDIT_OPERATIONS } from './audit.ts'
import { INITIAL_ACCESS_TOKEN_OPERATIONS } from './clients/initial-access-tokens.ts'
import { CLIENT_OPERATIONS } from './clients/operations.ts'
import { DAY_OPERATIONS } from './day/day.ts'
import { DETAIL_TYPE_OPERATIONS } from './details/detail-types.ts'
import { DIRECTORY_OPERATIONS } from './directory.ts'
import { DOCTOR_OPERATIONS } from './doctor/operation.ts'
import { EXPLANATION_OPERATIONS } from './explanations.ts'
import { FACTOR_OPERATIONS } from './factors/operations.ts'
import { ISSUER_OPERATIONS } from './issuers/issuers.ts'
import { LIMIT_OPERATIONS } from './limits.ts'
import { MAIL_OPERATIONS } from './mail/mails.ts'
import type { Page } from './operation/list.ts'
import { PREVIEW_OPERATIONS } from './previews/operations.ts'
import { PROVIDER_OPERATIONS } from './providers/operations.ts'
import { RESOURCE_OPERATIONS } from './resources/resources.ts'
import { KEY_OPERATIONS } from './server/keys.ts'
import { SETTING_OPERATIONS } from './server/server-settings.ts'
import { SERVER_OPERATIONS } from './server/servers.ts'
import { CONSENT_OPERATIONS } from './sign-ins/consents.ts'
import { LOGIN_OPERATIONS } from './sign-ins/logins.ts'
import { STREAM_OPERATIONS } from './streams.ts'
import { THIRD_PARTY_OPERATIONS } from './third-parties.ts'
import { TOKEN_OPERATIONS } from './tokens/operations.ts'
import { UPKEEP_OPERATIONS } from './upkeep/upkeep.ts'
import { PEOPLE_OPERATIONS } from './users/links.ts'
import { USER_OPERATIONS } from './users/operations.ts'

/** All operations of the admin API by their names: a table for each area. */
export const OPERATIONS = {
  ...USER_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...ACTING_OPERATIONS,
  ...FACTOR_OPERATIONS,
  ...CLIENT_OPERATIONS,
  ...PREVIEW_OPERATIONS,
  ...INITIAL_ACCESS_TOKEN_OPERATIONS,
  ...RESOURCE_OPERATIONS,
  ...DETAIL_TYPE_OPERATIONS,
  ...ISSUER_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...LOGIN_OPERATIONS,
  ...CONSENT_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...DOCTOR_OPERATIONS,
  ...DIRECTORY_OPERATIONS,
  ...THIRD_PARTY_OPERATIONS,
  ...DAY_OPERATIONS,
  ...UPKEEP_OPERATIONS,
  ...LIMIT_OPERATIONS,
  ...EXPLANATION_OPERATIONS,
  ...MAIL_OPERATIONS,
  ...STREAM_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...SETTING_OPERATIONS,
}

type Operations = typeof OPERATIONS
export type OperationName = keyof Operations

type Part<Name extends OperationName, What extends 'params' | 'query' | 'body'> = Static<
  NonNullable<Operations[Name][What]>
>

/** The parameters in the path of an operation. */
export type ParamsOf<Name extends OperationName> = Part<Name, 'params'>

/** The names of the parameters that follow the path, without those of pages and dry runs. */
export type QueryName<Name extends OperationName> = keyof Part<Name, 'query'>

export type BodyOf<Name extends OperationName> = Part<Name, 'body'>

/** What is given to an operation that has parameters in its path, or a body, at each door. */
export type Named<Name extends OperationName> = Demanded<'params', ParamsOf<Name>>
export type Filled<Name extends OperationName> = Demanded<'body', BodyOf<Name>>

type Demanded<What extends string, Value> = [Value extends unknown ? keyof Value : never] extends [never]
  ? unknown
  : { readonly [One in What]: Value }

/** What an operation answers, unless it is a dry run. */
export type AnswerOf<Name extends OperationName> = Static<Operations[Name]['answer']>

/** The operations whose answers are lists, and what is in one. */
export type ListOperation = {
  [Name in OperationName]: AnswerOf<Name> extends Page<unknown> ? Name : never
}[OperationName]
export type ItemOf<Name extends ListOperation> = AnswerOf<Name>['items'][number]

/** The kinds of records that operators keep, as in `read_client` and `change_client`. */
export type RecordName = {
  [Name in OperationName]: Name extends `change_${infer Record}` ? Record : never
}[OperationName]

/** The operations that can be called with nothing: no parameter is in their paths, and they take no body. */
export type BareName = {
  [Name in OperationName]: unknown extends Named<Name> & Filled<Name> ? Name : never
}[OperationName]
