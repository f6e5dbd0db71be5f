// The order in which a token request is judged, which explanations give as what it had passed: of two faults the first counts.
import t from 'tap'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import { passedBefore } from '../../../../src/explain/passed.ts'
import { basic, CLIENTS, codeRequest, SECRET, startService } from '../../../support/service.ts'

interface TokenRequest {
  client: string
  secret: string
  form: Record<string, string>
  headers: Record<string, string>
}

/** What makes a request one that a step refuses, in the order of the steps. */
const FAULTS: Readonly<Record<string, (request: TokenRequest) => void>> = {
  grant_type: ({ form }) => {
    form.grant_type = 'none'
  },
  parameters: ({ form }) => void delete form.code,
  client: (request) => {
    request.secret = 'wrong'
  },
  client_grant_types: (request) => {
    request.client = CLIENTS.service.client_id
  },
  proof: ({ headers }) => {
    headers.dpop = 'none'
  },
  resource: ({ form }) => {
    form.resource = 'https://unknown.example.com'
  },
  code: ({ form }) => {
    form.code = `${'A'.repeat(16)}.${'B'.repeat(43)}`
  },
}

t.test('of two faults of a token request that of the earlier step is told', async (t) => {
  const { fastify, token, authorize } = await startService(t)
  const reasons: Reason[] = []
  fastify.redmint.refusals.on('refused', ({ reason }) => reasons.push(reason))
  const { redirect } = await authorize({ client_id: 'web' })
  const refused = async (...names: readonly string[]) => {
    const { client_id: _, ...form }: Record<string, string> = codeRequest(redirect.get('code') ?? '')
    const request: TokenRequest = { client: 'web', secret: SECRET, form, headers: {} }
    // A parameter that is missing is not set again.
    for (const name of names.toReversed()) FAULTS[name]?.(request)
    reasons.length = 0
    await token(request.form, { ...basic(request.client, request.secret), ...request.headers })
    return reasons[0]
  }
  const steps = Object.keys(FAULTS)
  for (const [index, step] of steps.entries()) {
    const alone = await refused(step)
    t.equal(alone && REASONS[alone], step)
    if (alone === undefined) continue
    t.match(new Set(passedBefore('token', alone)), new Set(steps.slice(0, index)), `passed before ${step}`)
    for (const later of steps.slice(index + 1))
      t.equal(await refused(step, later), alone, `${step}, ${later}`)
  }
})
