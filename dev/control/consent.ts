import { Type } from '@sinclair/typebox'
import { commit } from '../../src/core/commit.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { consentName, saveConsent } from '../../src/interaction/consent.ts'
import { consentedBy, consentStep } from '../../src/interaction/consent-step.ts'
import { findResources, scopeAt } from '../../src/resources/target.ts'
import { clientNamed, userNamed } from './named.ts'
import { devOperation } from './operation.ts'

const NOTHING: ReadonlySet<string> = new Set()

/** Remembers a consent, as if the person had allowed it on the page. */
export const CONSENT_GIVEN = devOperation({
  summary: 'Remembers that a person allows a client what it asks for, so that no page asks',
  method: 'POST',
  path: '/consents',
  call: 'consent({ user, client, scope, resource })',
  input: Type.Object(
    {
      user: Type.String({ description: 'username' }),
      client: Type.String({ description: 'client_id' }),
      scope: Type.Optional(Type.String({ description: 'by default all that the client may obtain' })),
      resource: Type.Optional(Type.String({ description: 'the APIs, separated by spaces' })),
    },
    { additionalProperties: false },
  ),
  /** @returns what the client may have without being asked, with what was allowed before */
  async run(parts, { user: username, client: client_id, scope, resource }) {
    const context = parts.fastify.redmint
    const [user, client] = await Promise.all([userNamed(parts, username), clientNamed(parts, client_id)])
    const { sub } = user
    const resources = resource === undefined ? [] : await findResources(context, resource)
    const granted = scopeAt(resources, client, { scope })
    const names = [...scopeNames(granted), ...resources.map(consentName)]
    const remembered = await context.consents.find(sub, client_id)
    const [redirect_uri] = client.redirect_uris
    const step = consentStep(
      { client, ...(redirect_uri !== undefined && { redirect_uri }), names, resources },
      remembered,
    )
    const consented = consentedBy(step, NOTHING)
    const described = step.described && {
      description: step.described.description,
      described_since: new Date(context.now()).toISOString(),
    }
    const event = { event: 'consent_given', username, sub, client_id, scope: names.join(' ') } as const
    await commit(context, [event], {}, (told) =>
      saveConsent(
        context,
        { sub, client_id, ...consented, ...described },
        context.settings.consent_ttl,
        told,
      ),
    )
    return { scope: consented.scope }
  },
})
