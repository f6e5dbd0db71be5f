// The table of operations: each is there under its name, and the compiler knows what is given to it and what it answers.
import t from 'tap'
import type { CallInput } from '../../../../cli/calls.ts'
import { ACTING_OPERATIONS } from '../../../../src/admin/access/acting-operations.ts'
import { ACCESS_OPERATIONS } from '../../../../src/admin/access/operations.ts'
import { APPLICATION_OPERATIONS } from '../../../../src/admin/applications/applications.ts'
import { AUDIT_OPERATIONS } from '../../../../src/admin/audit.ts'
import { INITIAL_ACCESS_TOKEN_OPERATIONS } from '../../../../src/admin/clients/initial-access-tokens.ts'
import { CLIENT_OPERATIONS } from '../../../../src/admin/clients/operations.ts'
import { DAY_OPERATIONS } from '../../../../src/admin/day/day.ts'
import { DETAIL_TYPE_OPERATIONS } from '../../../../src/admin/details/detail-types.ts'
import { DIRECTORY_OPERATIONS } from '../../../../src/admin/directory.ts'
import { DOCTOR_OPERATIONS } from '../../../../src/admin/doctor/operation.ts'
import { EXPLANATION_OPERATIONS } from '../../../../src/admin/explanations.ts'
import { FACTOR_OPERATIONS } from '../../../../src/admin/factors/operations.ts'
import { ISSUER_OPERATIONS } from '../../../../src/admin/issuers/issuers.ts'
import { LIMIT_OPERATIONS } from '../../../../src/admin/limits.ts'
import { MAIL_OPERATIONS } from '../../../../src/admin/mail/mails.ts'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import { PREVIEW_OPERATIONS } from '../../../../src/admin/previews/operations.ts'
import { PROVIDER_OPERATIONS } from '../../../../src/admin/providers/operations.ts'
import { RESOURCE_OPERATIONS } from '../../../../src/admin/resources/resources.ts'
import { KEY_OPERATIONS } from '../../../../src/admin/server/keys.ts'
import { SETTING_OPERATIONS } from '../../../../src/admin/server/server-settings.ts'
import { SERVER_OPERATIONS } from '../../../../src/admin/server/servers.ts'
import { CONSENT_OPERATIONS } from '../../../../src/admin/sign-ins/consents.ts'
import { LOGIN_OPERATIONS } from '../../../../src/admin/sign-ins/logins.ts'
import { STREAM_OPERATIONS } from '../../../../src/admin/streams.ts'
import { THIRD_PARTY_OPERATIONS } from '../../../../src/admin/third-parties.ts'
import { TOKEN_OPERATIONS } from '../../../../src/admin/tokens/operations.ts'
import { UPKEEP_OPERATIONS } from '../../../../src/admin/upkeep/upkeep.ts'
import { PEOPLE_OPERATIONS } from '../../../../src/admin/users/links.ts'
import { USER_OPERATIONS } from '../../../../src/admin/users/operations.ts'
import type { Desk, OperationInput } from '../../../../src/console/desk.ts'
import { readText } from '../../../support/markdown.ts'

const AREAS = {
  ACCESS_OPERATIONS,
  ACTING_OPERATIONS,
  APPLICATION_OPERATIONS,
  AUDIT_OPERATIONS,
  CLIENT_OPERATIONS,
  CONSENT_OPERATIONS,
  DAY_OPERATIONS,
  DETAIL_TYPE_OPERATIONS,
  DIRECTORY_OPERATIONS,
  DOCTOR_OPERATIONS,
  EXPLANATION_OPERATIONS,
  FACTOR_OPERATIONS,
  INITIAL_ACCESS_TOKEN_OPERATIONS,
  ISSUER_OPERATIONS,
  KEY_OPERATIONS,
  LIMIT_OPERATIONS,
  LOGIN_OPERATIONS,
  MAIL_OPERATIONS,
  PEOPLE_OPERATIONS,
  PREVIEW_OPERATIONS,
  PROVIDER_OPERATIONS,
  RESOURCE_OPERATIONS,
  SERVER_OPERATIONS,
  SETTING_OPERATIONS,
  STREAM_OPERATIONS,
  THIRD_PARTY_OPERATIONS,
  TOKEN_OPERATIONS,
  UPKEEP_OPERATIONS,
  USER_OPERATIONS,
}

t.test('no two areas have an operation of one name', async (t) => {
  const spread = [...(await readText('src/admin/operations.ts')).matchAll(/^ {2}\.\.\.(\w+),$/gm)]
  t.same(spread.map(([, area]) => area).sort(), Object.keys(AREAS).sort(), 'the areas')
  const names = Object.values(AREAS).flatMap((area) => Object.keys(area))
  t.same(names.sort(), Object.keys(OPERATIONS).sort())
  for (const [name, operation] of Object.entries(OPERATIONS)) t.equal(operation.name, name)
})

/** Never called: what the compiler has to refuse. */
export async function refusals({ ask }: Desk): Promise<unknown> {
  const params = { username: 'alice' }
  const { body } = await ask('read_user', { params })
  // @ts-expect-error a name that no operation has
  await ask('read_users', { params })
  // @ts-expect-error a parameter that the path does not have
  await ask('read_user', { params: { user: 'alice' } })
  // @ts-expect-error a parameter is missing
  await ask('read_user')
  // @ts-expect-error a parameter of the query that there is not
  await ask('list_users', { query: { admins: 'true' } })
  // @ts-expect-error a body of another operation
  const asked: OperationInput<'test_mail'> = { body: { from: 'alice@example.com' } }
  // @ts-expect-error the same of the command
  const called: CallInput<'test_mail'> = { body: { from: 'alice@example.com' } }
  // @ts-expect-error a member that the answer does not have
  return [asked, called, body.last_sign_in]
}
