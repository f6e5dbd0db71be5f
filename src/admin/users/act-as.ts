import { type Static, Type } from '@sinclair/typebox'
import { readEnabledClient } from '../../clients/client-registry.ts'
import type { Client } from '../../clients/record/client-record.ts'
import { clashWithClient, subjectFor } from '../../clients/subject.ts'
import type { Settings } from '../../config/settings.ts'
import type { Actor } from '../../core/actor.ts'
import { ACT_AS } from '../../core/admin-scopes.ts'
import { commit } from '../../core/commit.ts'
import { OAuthError } from '../../core/errors.ts'
import type { SecurityEvent } from '../../core/events.ts'
import { SILENT } from '../../core/log.ts'
import { isScopeOfSignIn, resolveScope } from '../../core/scope.ts'
import { newToken, parseToken } from '../../core/token-string.ts'
import { nameForm } from '../../core/visible-text.ts'
import { isOwnResource } from '../../resources/own-resources.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import { checkScopeOf, findTarget, type TokenTarget, withoutRights } from '../../resources/target.ts'
import { endFamily } from '../../sessions/end-families.ts'
import { grantListings } from '../../tokens/grant-listings.ts'
import { mayActAs } from '../../tokens/operator.ts'
import { accessTokenShape } from '../../tokens/plan.ts'
import { type AccountProblem, accountProblem } from '../../tokens/token-account.ts'
import { readEnabledAccount } from '../../users/read-account.ts'
import type { User } from '../../users/user-record.ts'
import { rightsOfUser } from '../holders.ts'
import { type AdminCaller, type AdminContext, operation } from '../operation/operation.ts'
import { AdminError, invalidField } from '../operation/problem.ts'
import { findResource } from '../resources/resources.ts'
import { readUser, USERNAME } from './record-type.ts'
import { tellFromHost } from './told-from-host.ts'

/** How long an operator acts as a person at most, in seconds. */
const ACT_AS_TTL = 600

const Wanted = Type.Object(
  {
    client_id: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The client whose token it is to be: `sub` is the user as this client knows the user',
    }),
    resource: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The one API that takes the token: a registered resource',
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
      description:
        'Why, for the audit trail and the log; it is not in the token, and the user does not see it',
    }),
    scope: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'Scopes of the API that the client may obtain; absent: all of them',
      }),
    ),
  },
  { additionalProperties: false },
)

const Given = Type.Object(
  {
    username: Type.String(),
    access_token: Type.String({ description: 'An opaque Bearer token; it is shown once' }),
    sub: Type.String({ description: 'The user as the client knows the user' }),
    client_id: Type.String(),
    resource: Type.String(),
    scope: Type.String(),
    act: Type.Unsafe<Actor>({
      type: 'object',
      properties: { sub: { type: 'string' } },
      required: ['sub'],
      additionalProperties: true,
      description: 'Who acts, as introspection says it: the `sub` of the operator, or `command:` and a name',
    }),
    grant: Type.String({ description: 'Names the grant, and gives no access: `end_grant` ends it' }),
    expires_at: Type.String({ format: 'date-time' }),
    notice: Type.Optional(
      Type.Object(
        {
          sent: Type.Boolean({ description: 'Whether the SMTP server took the mail that tells the user' }),
          answer: Type.String({ description: 'What it said, or why there is no mail' }),
        },
        {
          additionalProperties: false,
          description: 'Of the command on the host; a server sends it by itself',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
/** A token with which an operator acts as a person. */
export type SupportToken = Static<typeof Given>

/** Support: an operator acts as a person. */
export const actAs = operation({
  name: 'act_as_user',
  summary:
    'Make a token with which the caller acts as a user at one API, for ten minutes at most; it is shown once, and the user is told',
  method: 'POST',
  path: '/users/:username/act-as',
  scope: ACT_AS,
  params: USERNAME,
  body: Wanted,
  answer: Given,
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, body }) {
    const username = nameForm(params.username)
    await readUser(context.storage, username)
    return { body: await giveActingToken(context, username, body) }
  },
})

/**
 * Makes the token, and tells the person. What can change until it is handed over is looked at again once it is written, and
 * with every use.
 */
async function giveActingToken(
  context: AdminContext,
  username: string,
  { client_id, resource, reason, scope: requested }: Static<typeof Wanted>,
): Promise<SupportToken> {
  const { storage, settings, caller, now } = context
  const reading = { storage, settings, log: SILENT, now }
  const accounts = { find: (name: string) => readEnabledAccount(reading, name) }
  const [act, user, client] = await Promise.all([
    actorOf(accounts, caller),
    accounts.find(username),
    readEnabledClient(reading, client_id),
  ])
  if (user === undefined) throw conflict(`The user "${username}" is disabled, or the record is malformed.`)
  const usable = usableClient(client, client_id)
  const target = withoutRights(await targetOf(context, usable, resource))
  const scope = scopeOf(target, usable, requested)
  const started_at = now()
  const sign_in = {
    subject: subjectOf(usable, user, settings),
    username,
    acted_by: caller.kind,
    ...(caller.kind === 'user' && { operator: caller.id }),
    started_at: String(started_at),
  }
  const problem = await accountProblem({ accounts, settings }, usable, sign_in)
  if (problem !== undefined) throw conflict(PROBLEMS[problem])
  const check = async () => {
    if (await mayActAs({ accounts, settings }, sign_in, act.sub)) return
    throw conflict(
      'Nobody acts as somebody who has rights at the admin API, or without the right to act as people.',
    )
  }
  await check()
  const ttl = Math.min(ACT_AS_TTL, accessTokenShape(settings, usable, target).ttl)
  const access_token = newToken(storage.families.newClientFamily())
  const grant = parseToken(access_token)?.family ?? ''
  const expires_at = new Date(started_at + ttl * 1000).toISOString()
  const event: SecurityEvent = {
    ...({ event: 'user_acted_as', username, client_id, resource: target.resource } as const),
    ...{ scope, grant, expires_at, reason },
  }
  const { subject, ...fields } = sign_in
  // In the list among the newest sign-ins, where its person looks: it would be the last one by its own end.
  const listed = { family: grant, started_at, client_id, username }
  await commit(context, [event], { sub: user.sub }, (told) =>
    storage.families.grantOnce(
      {
        ...{ token: access_token, is_jwt: false, single_uses: [], client_id, scope },
        audience: target.audience,
        access_token_ttl: ttl,
        act: JSON.stringify(act),
        user: {
          subject,
          fields: { ...fields, acted_until: String(started_at + ttl * 1000), resource: target.resource },
          lists: grantListings(listed, settings.refresh_token_ttl),
        },
      },
      told,
    ),
  )
  // Rights can have changed meanwhile.
  await check().catch(async (error: unknown) => {
    await endFamily(context, grant)
    throw error
  })
  const notice = caller.kind === 'command' ? await tellFromHost(context, user, target.resource) : undefined
  const shown = notice && { notice }
  return {
    ...shown,
    username,
    access_token,
    sub: subject,
    client_id,
    resource: target.audience,
    scope,
    act,
    grant,
    expires_at,
  }
}

/** Who acts. @throws AdminError `conflict` for a client, behind which there is nobody */
async function actorOf(
  accounts: { find(username: string): Promise<User | undefined> },
  { kind, id, login = 'unknown' }: AdminCaller,
): Promise<Actor> {
  if (kind === 'command') return { sub: `command:${login}` }
  // The client by way of which an operator asks may know the operator by a pairwise sub.
  const operator = kind === 'user' ? await accounts.find(id) : undefined
  if (operator !== undefined) return { sub: operator.sub }
  throw conflict('A client cannot act as a person: an operator does it, by the console or the command.')
}

/** @throws AdminError `invalid_field`, `conflict` */
function usableClient(client: Client | undefined, client_id: string): Client {
  if (client === undefined)
    throw invalidField('client_id', `client_id: there is no client "${client_id}" that is enabled.`)
  const { dpop_bound_access_tokens, tls_client_certificate_bound_access_tokens } = client
  // Whoever holds the token could use it, which the client shall not have.
  if (dpop_bound_access_tokens || tls_client_certificate_bound_access_tokens)
    throw conflict(`The tokens of "${client_id}" are bound to its keys: nobody else can have one.`)
  return client
}

/** @throws AdminError `invalid_field` */
async function targetOf(context: AdminContext, client: Client, uri: string): Promise<TokenTarget> {
  const { storage, settings } = context
  if (isOwnResource(settings, uri))
    throw invalidField('resource', 'resource: nobody acts as a person at this server itself.')
  const findAny = async (one: string) => {
    const found = await findResource(storage, one)
    const parsed = found && RESOURCE.parse(found.hash, found.id)
    return parsed?.ok ? parsed.record : undefined
  }
  if (uri.includes(' ')) throw invalidField('resource', 'resource: name one API.')
  return asAdminError('resource', () =>
    findTarget({ settings, resources: { find: findAny, findAny } }, client, uri),
  )
}

/** @throws AdminError `invalid_field` */
function scopeOf(target: TokenTarget, client: Client, requested: string | undefined): string {
  const allowed = target.scopes.filter((name) => !isScopeOfSignIn(name))
  const scope = asAdminError('scope', () => {
    checkScopeOf(target, client, requested)
    return resolveScope(requested, allowed)
  })
  if (scope !== '') return scope
  throw invalidField('scope', `scope: "${client.client_id}" may obtain no scope of this API for it.`)
}

/** @throws AdminError `conflict` */
function subjectOf(client: Client, user: User, settings: Settings): string {
  return asAdminError('client_id', () => {
    const subject = subjectFor(client, user.sub, settings)
    const clash = clashWithClient(subject, client)
    if (clash !== undefined) throw clash
    return subject
  })
}

/** Says what an error of the protocol says of a field. */
function asAdminError<T>(field: string, run: () => T): T {
  const said = (error: unknown): never => {
    throw error instanceof OAuthError ? invalidField(field, `${field}: ${error.description}`) : error
  }
  try {
    const done = run()
    return done instanceof Promise ? (done.catch(said) as T) : done
  } catch (error) {
    return said(error)
  }
}

const conflict = (detail: string) => new AdminError('conflict', detail)

const PROBLEMS: Readonly<Record<AccountProblem, string>> = {
  account: 'The user cannot sign in.',
  access: 'The user is in none of the groups that may use this client.',
  acr: 'This client demands a stronger sign-in of the user: nobody else can stand in for it.',
  ended: 'What was granted to this client was ended just now: try again.',
}
