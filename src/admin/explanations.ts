import { type Static, Type } from '@sinclair/typebox'
import { mayDescribe } from '../clients/documents/metadata-documents.ts'
import { CLIENT } from '../clients/record/client-kind.ts'
import type { Settings } from '../config/settings.ts'
import { hasScope } from '../core/admin-scopes.ts'
import { PROVEN_STEPS, UNPROVEN_STEPS } from '../core/connection-steps.ts'
import { ENDPOINTS } from '../core/endpoints.ts'
import type { ClientId } from '../core/ids.ts'
import { REASONS } from '../core/reasons.ts'
import type { Detail } from '../details/read-details.ts'
import { ACTING } from '../explain/trail-step.ts'
import { ShownDetails, shownDetails } from './access/details.ts'
import { DEFAULT_LIMIT } from './operation/list.ts'
import { type AdminContext, byName, operation } from './operation/operation.ts'
import { AdminError } from './operation/problem.ts'

const LANGUAGE = Type.Optional(
  Type.Unsafe<'en' | 'de'>(Type.String({ enum: ['en', 'de'], description: 'of the texts; absent: `en`' })),
)

const Facts = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

const Explanation = Type.Object(
  {
    id: Type.String({ description: 'of the request: `X-Request-Id` of its answer' }),
    at: Type.String({ format: 'date-time' }),
    trace_id: Type.Optional(Type.String({ description: 'of its trace; absent: it is in none' })),
    endpoint: Type.String({ enum: [...ENDPOINTS] }),
    client_id: Type.Optional(Type.String({ description: 'absent: the request names no registered client' })),
    reason: Type.String({ enum: Object.keys(REASONS), description: 'a code that never changes' }),
    sentence: Type.String({ description: 'what happened' }),
    received: Facts('what the request had'),
    expected: Facts('what it should have had'),
    differences: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          received: Type.String(),
          expected: Type.String({ description: 'the nearest of those that are registered' }),
          at: Type.Integer({ description: 'how many characters are the same before the first difference' }),
        },
        { additionalProperties: false },
      ),
    ),
    passed: Type.Array(Type.String(), { description: 'the checks that the request had passed' }),
    advice: Type.String({ description: 'what to change' }),
    docs: Type.String(),
    more: Type.Integer({ description: 'how many more of this reason and client are only counted' }),
  },
  { $id: 'redmint:Explanation', additionalProperties: false },
)
/** The explanation of a refused request. */
export type ExplanationAnswer = Static<typeof Explanation>

const Explanations = Type.Object(
  { items: Type.Array(Explanation) },
  { $id: 'redmint:Explanations', additionalProperties: false },
)
export type ExplanationsAnswer = Static<typeof Explanations>

/** How many steps of a client are shown unless more are asked for. */
const LAST_STEPS = 20

// Servers that are never asked do not load the texts.
const room = () => import('../explain/explanation.ts')

const readExplanation = operation({
  name: 'read_explanation',
  summary: 'Why a request was refused, by the id of its answer',
  method: 'GET',
  path: '/explanations/:id',
  scope: 'redmint:server:read',
  params: Type.Object({ id: Type.String() }, { additionalProperties: false }),
  query: Type.Object({ lang: LANGUAGE }),
  answer: Explanation,
  async run(context, { params: { id }, query: { lang = 'en' } }) {
    const { findExplanation } = await room()
    const found = await findExplanation(context, id, lang)
    if (found === undefined) throw noExplanation(context)
    return { body: answered(found) }
  },
})

const listExplanations = operation({
  name: 'list_explanations',
  summary: 'Why the last requests were refused, the newest first',
  method: 'GET',
  path: '/explanations',
  scope: 'redmint:server:read',
  query: Type.Object({
    client_id: Type.Optional(Type.String({ description: 'only those of this client' })),
    last: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'how many; absent: 50' })),
    lang: LANGUAGE,
  }),
  answer: Explanations,
  off: notKept,
  async run(context, { query: { client_id, last = DEFAULT_LIMIT, lang = 'en' } }) {
    const explanations = await (await room()).listExplanations(context, {
      client_id,
      limit: last,
      language: lang,
    })
    return { body: { items: explanations.map(answered) } }
  },
})

const ConnectionTrail = Type.Object(
  {
    client_id: Type.String(),
    steps: Type.Array(
      Type.Object(
        {
          step: Type.String({ enum: [...UNPROVEN_STEPS, ...PROVEN_STEPS, 'refused'] }),
          at: Type.String({ format: 'date-time' }),
          sentence: Type.String({ description: 'what happened' }),
          grant: Type.Optional(
            Type.String({ description: 'the grant, which the steps of one connection share' }),
          ),
          username: Type.Optional(Type.String({ description: 'the person, by the name of today' })),
          from: Type.Optional(Type.String({ description: 'the network of the sender' })),
          format: Type.Optional(Type.String({ enum: ['opaque', 'jwt'], description: 'of the token' })),
          resource: Type.Optional(
            Type.String({
              description: 'the APIs that the token is for, separated by spaces; absent: this server',
            }),
          ),
          endpoint: Type.Optional(Type.String({ enum: [...ENDPOINTS] })),
          by: Type.Optional(
            Type.String({ description: 'the client that asked about the token; absent: it was shown here' }),
          ),
          reason: Type.Optional(
            Type.String({ enum: Object.keys(REASONS), description: 'why it was refused' }),
          ),
          fault: Type.Optional(Type.String({ description: 'what was found wrong' })),
          request: Type.Optional(
            Type.String({ description: 'the refused request: its explanation says more' }),
          ),
          tied_by: Type.Optional(
            Type.String({
              enum: ['network'],
              description:
                'that it is of this client is known by its network and time only; absent: it names the client',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'the oldest first' },
    ),
    more: Type.Integer({ description: 'how many more steps are only counted' }),
    to_act: Type.String({
      enum: [...ACTING],
      description:
        'who is to act, by the last step; `unseen`: the client or an API, of which nothing is seen here',
    }),
    sentence: Type.String({ description: 'the same in words' }),
  },
  { $id: 'redmint:ConnectionTrail', additionalProperties: false },
)
export type ConnectionTrailBody = Static<typeof ConnectionTrail>

const explainConnection = operation({
  name: 'explain_connection',
  summary: 'What a client did last until it was connected, in order, and which side is to act',
  method: 'GET',
  path: '/explanations/trail',
  scope: 'redmint:server:read',
  query: Type.Object({
    client_id: Type.String({ minLength: 1, maxLength: 1024 }),
    last: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'how many steps; absent: 20' }),
    ),
    lang: LANGUAGE,
  }),
  answer: ConnectionTrail,
  off: notKept,
  async run(context, { query: { client_id, last = LAST_STEPS, lang = 'en' } }) {
    const { connectionTrail } = await import('../explain/trail.ts')
    const trail = await connectionTrail(context, { client_id, limit: last, language: lang })
    return { body: { ...trail, steps: trail.steps.map((step) => ({ ...step })) } }
  },
})

const Rule = Type.Object(
  {
    rule: Type.String(),
    passed: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'why not' })),
    received: Type.Optional(Facts('what the request would have')),
    expected: Type.Optional(Facts('what it should have')),
  },
  { additionalProperties: false },
)

const WhatIf = Type.Object(
  {
    allowed: Type.Boolean({ description: 'whether the client would get a code' }),
    rules: Type.Array(Rule, { description: 'in their order: the first that fails refuses the request' }),
    asks_consent: Type.Optional(Type.Boolean({ description: 'whether the user would be asked to agree' })),
    tokens: Type.Optional(
      Type.Object(
        {
          access_token: Type.Object({
            format: Type.String({ enum: ['opaque', 'jwt'] }),
            expires_in: Type.Integer({ description: 'seconds' }),
            scope: Type.String(),
            authorization_details: Type.Optional(ShownDetails),
            audience: Type.Optional(Type.String()),
          }),
          refresh_token: Type.Boolean(),
          id_token: Type.Optional(Facts('the claims about the user; values only with `redmint:users:read`')),
          userinfo: Type.Optional(Facts('likewise what `/userinfo` answers')),
        },
        { additionalProperties: false, description: 'what the client would get' },
      ),
    ),
  },
  { $id: 'redmint:WhatIf', additionalProperties: false },
)
export type WhatIfBody = Static<typeof WhatIf>

// Longer than any that is taken, so that the answer is why it is not.
const DETAILS = Type.Optional(
  Type.String({ maxLength: 16_384, description: 'what is asked for in detail: the JSON of the parameter' }),
)

const withDetails = <Token extends { readonly details?: readonly Detail[] }>({
  details = [],
  ...token
}: Token) => ({ ...token, ...shownDetails(details) })

const whatIfOperation = operation({
  name: 'what_if',
  summary:
    'Whether a user who signs in now would get into a client, by which rules, and with which tokens; nothing is written',
  method: 'POST',
  path: '/explanations/what-if',
  scope: 'redmint:server:read',
  body: Type.Object(
    {
      username: Type.String({ minLength: 1, maxLength: 1024 }),
      client_id: Type.String({ minLength: 1, maxLength: 1024 }),
      scope: Type.Optional(Type.String({ maxLength: 4096 })),
      resource: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 10 })),
      authorization_details: DETAILS,
      acr: Type.Optional(Type.String({ maxLength: 255, description: 'which the client demands' })),
    },
    { additionalProperties: false },
  ),
  answer: WhatIf,
  async run(context, { body }) {
    const { whatIf } = await import('../explain/what-if.ts')
    await assertRecorded(context, body.client_id)
    const { rules, tokens, user, ...answer } = await whatIf(context, body)
    const { id_token, userinfo, ...more } = tokens ?? {}
    // Who may not read people learns which claims there are, and not what they say.
    const may_read = hasScope(context.caller.scopes, 'redmint:users:read')
    const shown = (claims: Readonly<Record<string, unknown>>): Record<string, unknown> =>
      may_read ? { ...claims } : Object.fromEntries(Object.keys(claims).map((name) => [name, '…']))
    return {
      shows: user?.username,
      body: {
        ...answer,
        rules: rules.map((rule) => ({ ...rule })),
        ...(tokens && {
          tokens: {
            ...more,
            access_token: withDetails(tokens.access_token),
            refresh_token: tokens.refresh_token,
            ...(id_token && { id_token: shown(id_token) }),
            ...(userinfo && { userinfo: shown(userinfo) }),
          },
        }),
      },
    }
  },
})

const WhatIfExchange = Type.Object(
  {
    allowed: Type.Boolean({ description: 'whether the client would get a token' }),
    rules: Type.Array(Rule, { description: 'in their order: the first that fails refuses the request' }),
    token: Type.Optional(
      Type.Object(
        {
          format: Type.String({ enum: ['opaque', 'jwt'] }),
          expires_in: Type.Integer({
            description: 'seconds, unless the token that is exchanged ends before',
          }),
          scope: Type.String(),
          authorization_details: Type.Optional(ShownDetails),
          audience: Type.String(),
          actors: Type.Array(Type.String(), { description: 'who would act, the current actor first' }),
        },
        { additionalProperties: false, description: 'what the client would get' },
      ),
    ),
  },
  { $id: 'redmint:WhatIfExchange', additionalProperties: false },
)

const whatIfExchangeOperation = operation({
  name: 'what_if_exchange',
  summary:
    'Whether a client could act for a user by a token that another client has, and with which token; nothing is written',
  method: 'POST',
  path: '/explanations/what-if-exchange',
  scope: 'redmint:server:read',
  body: Type.Object(
    {
      username: Type.String({ minLength: 1, maxLength: 1024 }),
      client_id: Type.String({ minLength: 1, maxLength: 1024, description: 'who would exchange' }),
      of_client: Type.String({ minLength: 1, maxLength: 1024, description: 'whose token it is' }),
      of_resource: Type.Optional(
        Type.String({ maxLength: 1024, description: 'the API that this token is for; absent: this server' }),
      ),
      resource: Type.String({ maxLength: 1024, description: 'the API that the new token is for' }),
      scope: Type.Optional(Type.String({ maxLength: 4096 })),
      authorization_details: DETAILS,
    },
    { additionalProperties: false },
  ),
  answer: WhatIfExchange,
  async run(context, { body }) {
    const { whatIfExchange } = await import('../explain/what-if-exchange.ts')
    for (const client_id of [body.client_id, body.of_client]) await assertRecorded(context, client_id)
    const { user, rules, token, allowed } = await whatIfExchange(context, body)
    return {
      shows: user?.username,
      body: {
        allowed,
        rules: rules.map((rule) => ({ ...rule })),
        ...(token && { token: { ...withDetails(token), actors: [...token.actors] } }),
      },
    }
  },
})

/**
 * Only a server that somebody signs in at reads the document of a client: to say that there is no such client is untrue.
 * @throws AdminError `conflict`; StorageUnavailable
 */
async function assertRecorded({ storage, settings }: AdminContext, client_id: ClientId): Promise<void> {
  if (!mayDescribe(settings, client_id)) return
  if ((await storage.records.read(CLIENT, client_id)) !== undefined) return
  throw new AdminError(
    'conflict',
    `The client "${client_id}" has no record: its document describes it, which is read when somebody signs in. What would happen is known of clients with records only.`,
  )
}

/** What operators see of refused requests. */
export const EXPLANATION_OPERATIONS = byName(
  readExplanation,
  listExplanations,
  explainConnection,
  whatIfOperation,
  whatIfExchangeOperation,
)

type Found = Awaited<ReturnType<Awaited<ReturnType<typeof room>>['listExplanations']>>[number]

const answered = ({ passed, differences, ...rest }: Found): ExplanationAnswer => ({
  ...rest,
  passed: [...passed],
  differences: differences.map((one) => ({ ...one })),
})

function notKept({ explain_max }: Settings): string | undefined {
  return explain_max === 0
    ? 'No explanations are kept: EXPLAIN_MAX is 0. The log has the reason of each refusal.'
    : undefined
}

// The id is not repeated: anything may have been typed.
const noExplanation = ({ settings }: AdminContext) =>
  new AdminError(
    'not_found',
    notKept(settings) ??
      `No explanation of this request is kept: it was not refused, it is longer ago than ${settings.explain_ttl} seconds, or many others were refused like it. The log has the reason of each refusal.`,
  )
