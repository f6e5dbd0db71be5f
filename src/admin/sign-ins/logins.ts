import { type Static, Type } from '@sinclair/typebox'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { LOGINS } from '../../core/admin-scopes.ts'
import { scopeNames } from '../../core/scope.ts'
import { type AnswerOutcome, acceptVisit } from '../../own-login/answer.ts'
import {
  ACRS,
  authTimeProblem,
  claimsMore,
  type LoginVisit,
  openChallenge,
  UNSAID,
} from '../../own-login/challenge.ts'
import { isAnswered, type OpenVisit, refuseVisit } from '../../own-login/visit.ts'
import { recordOf } from '../../storage/records.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { AdminError, invalidField } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { AskingClient, answeredBefore, CHALLENGE, Redirect } from './challenges.ts'

const path = '/logins/:challenge'
const Texts = (description: string) => Type.Array(Type.String(), { description })

const Login = Type.Object(
  {
    kind: Type.String({ description: 'What waits: authorization, device, or account for the account page' }),
    client: Type.Optional(
      Type.Object(AskingClient.properties, {
        description: 'The application that the person goes on to; absent: redmint itself, or a device',
      }),
    ),
    scope: Type.String(),
    acr_values: Texts('Of which the client wants one; empty: any'),
    prompt: Texts('As the client sent it'),
    is_again: Type.Boolean({
      description:
        'The person must show anew who it is: a session of yours suffices only if max_age allows its age',
    }),
    max_age: Type.Optional(
      Type.Integer({ description: 'How old the sign-in may be at most, in seconds; 0: it is made for this' }),
    ),
    login_hint: Type.Optional(Type.String()),
    ui_locales: Texts('The languages that the client asks for, the best first'),
    expires_at: Type.String({ description: 'When the challenge ends, in ISO 8601' }),
  },
  { description: 'What is asked of a person who signs in' },
)

const AcceptedLogin = Type.Object(
  {
    sub: Type.String({ minLength: 1, maxLength: 255, description: 'Who it is, for ever' }),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The name of a new user, for operators' }),
    ),
    amr: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
        minItems: 1,
        maxItems: 8,
        description: `How the person signed in (RFC 8176 §2). Default: ${UNSAID}`,
      }),
    ),
    acr: Type.Optional(
      Type.Unsafe<(typeof ACRS)[number]>(
        Type.String({ enum: [...ACRS], description: '2: with a second step. Default: 1' }),
      ),
    ),
    auth_time: Type.Optional(
      Type.Integer({
        description:
          'When the person signed in, in seconds since 1970. Default: now if is_again, else nobody knows',
      }),
    ),
    claims: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Each replaces that of the user; null removes it' },
      ),
    ),
  },
  { additionalProperties: false },
)

const read = operation({
  name: 'read_login',
  summary: 'What is asked of a person who came to your sign-in page',
  method: 'GET',
  path,
  scope: LOGINS,
  params: CHALLENGE,
  needs: { challenge: true },
  answer: Login,
  async run(context, { params: { challenge } }) {
    const open = demandOpen(context, challenge)
    if (await isAnswered(context, open)) throw answeredBefore()
    return { body: await describe(context, open) }
  },
})

const accept = operation({
  name: 'accept_login',
  summary: 'Say who the person is',
  method: 'POST',
  path: `${path}/accept`,
  scope: LOGINS,
  params: CHALLENGE,
  needs: { challenge: true },
  body: AcceptedLogin,
  answer: Redirect,
  async run(
    context,
    { params: { challenge }, body: { amr = [UNSAID], acr = '1', auth_time: said, ...account } },
  ) {
    const asked = demandOpen(context, challenge)
    const means = { amr, acr, auth_time: authTimeIn(asked.visit, said, context.now()) }
    const more = claimsMore(means)
    if (more !== undefined)
      throw invalidField('amr', `amr has ${more}, which acr 1 denies: send acr 2, or leave it out`)
    // Who signs an administrator in has the rights of that user.
    const outcome = await acceptVisit(context, asked, account, means, ({ admin = [] }) =>
      assertMayGive(context.caller, admin),
    )
    return { body: redirectOf(outcome) }
  },
})

const refuse = operation({
  name: 'refuse_login',
  summary: 'Say that the person does not sign in; the client learns of it',
  method: 'POST',
  path: `${path}/refuse`,
  scope: LOGINS,
  params: CHALLENGE,
  needs: { challenge: true },
  answer: Redirect,
  async run(context, { params: { challenge } }) {
    const open = demandOpen(context, challenge)
    return { body: redirectOf(await refuseVisit(context, open)) }
  },
})

/** What an application does at whose page people sign in. */
export const LOGIN_OPERATIONS = byName(read, accept, refuse)

/** When the person signed in, in seconds since 1970; 0: nobody knows. @throws AdminError `invalid_field` */
function authTimeIn(visit: LoginVisit, said: number | undefined, now: number): number {
  // Who was asked to have the person sign in did it just now.
  if (said === undefined) return visit.is_again ? Math.floor(now / 1000) : 0
  const problem = authTimeProblem(said, visit, now)
  if (problem !== undefined) throw invalidField('auth_time', `auth_time ${problem}`)
  return said
}

/** @throws AdminError `not_found` */
function demandOpen({ sealer, now }: AdminContext, challenge: string): OpenVisit<LoginVisit> {
  const open = sealer && openChallenge({ sealer, now }, challenge)
  if (open !== undefined) return open
  throw new AdminError(
    'not_found',
    'There is no such challenge, or it is over: the person has to start again.',
  )
}

async function describe(
  { storage }: AdminContext,
  { visit, pending }: OpenVisit<LoginVisit>,
): Promise<Static<typeof Login>> {
  const { kind, parameters, ends_at } = pending
  const { client_id, scope = '', prompt = '', login_hint, ui_locales = '' } = parameters
  const { max_age } = visit
  const client = client_id === undefined ? undefined : recordOf(await storage.records.read(CLIENT, client_id))
  return {
    kind,
    ...(client_id !== undefined && {
      client: {
        client_id,
        ...(client && { client_name: client.client_name }),
        ...(client?.logo_uri !== undefined && { logo_uri: client.logo_uri }),
      },
    }),
    scope,
    acr_values: [...visit.acr_values],
    prompt: scopeNames(prompt),
    is_again: visit.is_again,
    ...(max_age !== undefined && { max_age }),
    ...(login_hint !== undefined && { login_hint }),
    ui_locales: scopeNames(ui_locales),
    expires_at: new Date(ends_at).toISOString(),
  }
}

function redirectOf(outcome: AnswerOutcome): { redirect_to: string } {
  if ('redirect_to' in outcome) return outcome
  switch (outcome.problem) {
    case 'answered':
      throw answeredBefore()
    case 'invalid':
      throw invalidField(outcome.field, `${outcome.field} ${outcome.detail}`)
    default:
      throw new AdminError('conflict', REFUSALS[outcome.problem])
  }
}

const REFUSALS = {
  name_taken: 'Another user has this username: leave it out, or send another one.',
  several: 'Several users have this sub: an operator has to remove all but one.',
  busy: 'The user is changed at this moment: send it again.',
  disabled: 'The user is disabled: show what you show to people who may not sign in.',
  demo: 'The user is one of demo mode, which is off.',
} as const
