import { type Static, Type } from '@sinclair/typebox'
import { CONSENTS } from '../../core/admin-scopes.ts'
import { present } from '../../core/present.ts'
import { scopeNames } from '../../core/scope.ts'
import { isConsentedScope } from '../../interaction/consent.ts'
import type { AskedThere } from '../../interaction/consent-site.ts'
import type { DescribedClient } from '../../interaction/described-client.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { AdminError, invalidField } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { AskingClient, answeredBefore, CHALLENGE, Redirect } from './challenges.ts'

const path = '/consents/:challenge'

const Consent = Type.Object(
  {
    kind: Type.String({ description: 'What waits: authorization, or device' }),
    user: Type.Object(
      { sub: Type.String(), username: Type.String() },
      { description: 'Who is asked: the sub of the record, whatever the client knows the person by' },
    ),
    client: AskingClient,
    scope: Type.String({ description: 'What is asked, separated by spaces' }),
    required: Type.String({ description: 'Which of these cannot be left out' }),
    allowed_before: Type.String({ description: 'Which of these the person allowed before' }),
    claims: Type.Array(Type.String(), { description: 'Claims that the client requests by name' }),
    resources: Type.Array(
      Type.Object({ resource: Type.String(), resource_name: Type.Optional(Type.String()) }),
      { description: 'The APIs that the tokens are for' },
    ),
    redirect_host: Type.Optional(Type.String({ description: 'Where the answer goes; absent: to a device' })),
    described: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ description: 'Of the document that describes it' })),
          registered_at: Type.Optional(Type.String({ description: 'When it registered itself' })),
          is_local: Type.Boolean({ description: 'Any program on the device can pretend to be it' }),
          history: Type.String({ description: 'first, unchanged or changed, since the person allowed it' }),
          former_name: Type.Optional(Type.String()),
        },
        { description: 'Nobody vouches for this client: it says itself what it is' },
      ),
    ),
    device: Type.Optional(
      Type.Object(
        {
          user_code: Type.String(),
          address: Type.String({ description: 'Where the device asks from' }),
          asked_at: Type.String({ description: 'In ISO 8601' }),
        },
        { description: 'The device may be that of somebody else: show its code (RFC 8628 §5.4)' },
      ),
    ),
    ui_locales: Type.Array(Type.String(), { description: 'The languages that the client asks for' }),
    expires_at: Type.String({ description: 'When the challenge ends, in ISO 8601' }),
  },
  { description: 'What is asked of a person' },
)

const AcceptedConsent = Type.Object(
  {
    scope: Type.Optional(
      Type.String({ maxLength: 8192, description: 'What the person allows of the scope; absent: all of it' }),
    ),
    remember: Type.Optional(
      Type.Boolean({ description: 'false: it counts for this request alone. Default: true' }),
    ),
  },
  { additionalProperties: false },
)

const read = operation({
  name: 'read_consent',
  summary: 'What is asked of a person who came to your consent page',
  method: 'GET',
  path,
  scope: CONSENTS,
  params: CHALLENGE,
  needs: { challenge: true },
  answer: Consent,
  async run(context, { params: { challenge } }) {
    const asked = await demandAsked(context, challenge)
    return { body: describe(asked, scopesOf(asked)) }
  },
})

const accept = operation({
  name: 'accept_consent',
  summary: 'Say what the person allows',
  method: 'POST',
  path: `${path}/accept`,
  scope: CONSENTS,
  params: CHALLENGE,
  needs: { challenge: true },
  body: AcceptedConsent,
  answer: Redirect,
  async run(context, { params: { challenge }, body: { scope, remember = true } }) {
    const asked = await demandAsked(context, challenge)
    const allowed = scope === undefined ? scopesOf(asked) : narrowed(asked, scope)
    // What the client gets of the admin API, the caller gives.
    assertMayGive(context.caller, allowed)
    const left_out = new Set(scopesOf(asked).filter((name) => !allowed.includes(name)))
    const outcome = await asked.accept({ left_out, remembers: remember })
    if ('problem' in outcome) throw answeredBefore()
    return { body: outcome }
  },
})

const refuse = operation({
  name: 'refuse_consent',
  summary: 'Say that the person refuses; the client learns of it',
  method: 'POST',
  path: `${path}/refuse`,
  scope: CONSENTS,
  params: CHALLENGE,
  needs: { challenge: true },
  answer: Redirect,
  async run(context, { params: { challenge } }) {
    const asked = await demandAsked(context, challenge)
    const outcome = await asked.refuse()
    if ('problem' in outcome) throw answeredBefore()
    return { body: outcome }
  },
})

/** What an application does at whose page people consent. */
export const CONSENT_OPERATIONS = byName(read, accept, refuse)

/** @throws AdminError `not_found`, or `conflict` if it was answered; StorageUnavailable */
async function demandAsked({ consent_site }: AdminContext, challenge: string): Promise<AskedThere> {
  const asked = await consent_site?.find(challenge)
  if (asked === undefined) {
    const why = 'There is no such challenge, or it is over: the person has to start again.'
    throw new AdminError('not_found', why)
  }
  if (await asked.isAnswered()) throw answeredBefore()
  return asked
}

/** The scope names that are asked; the resources have members of their own. */
const scopesOf = ({ step }: AskedThere): string[] => step.names.filter(isConsentedScope)

/** The part of the scope that is allowed. @throws AdminError `invalid_field` */
function narrowed(asked: AskedThere, scope: string): string[] {
  const names = scopeNames(scope)
  const known = scopesOf(asked)
  const strange = names.find((name) => !known.includes(name))
  if (strange !== undefined) throw invalidField('scope', 'scope has a name that was not asked')
  const lacking = known.filter((name) => asked.step.required.includes(name) && !names.includes(name))
  if (lacking.length > 0) {
    throw invalidField('scope', `scope lacks ${lacking.join(' ')}: refuse, if the person does not want that`)
  }
  // RFC 6749 §3.3: a scope has at least one name.
  if (names.length === 0 && known.length > 0) throw invalidField('scope', 'scope is empty: refuse instead')
  return names
}

function describe(
  { pending, session, step, destination }: AskedThere,
  names: string[],
): Static<typeof Consent> {
  const { client_id, resources, claims, required, allowed = '', described, device } = step
  const { kind, parameters, ends_at } = pending
  const before = scopeNames(allowed)
  return {
    kind,
    user: { sub: session.sub, username: session.username },
    client: {
      client_id,
      ...present({ client_name: destination?.client_name, logo_uri: destination?.logo_uri }),
    },
    scope: names.join(' '),
    required: names.filter((name) => required.includes(name)).join(' '),
    allowed_before: names.filter((name) => before.includes(name)).join(' '),
    claims: [...claims],
    resources: resources.map(({ id, resource_name }) => ({ resource: id, ...present({ resource_name }) })),
    ...present({ redirect_host: destination?.host, described: described && describedIn(described) }),
    ...(device && { device: { ...device, asked_at: new Date(device.asked_at).toISOString() } }),
    ui_locales: scopeNames(parameters.ui_locales ?? ''),
    expires_at: new Date(ends_at).toISOString(),
  }
}

function describedIn({ host, registered_at, is_local, history }: DescribedClient) {
  const former_name = history.state === 'changed' ? history.former_name : undefined
  return { is_local, history: history.state, ...present({ host, registered_at, former_name }) }
}
