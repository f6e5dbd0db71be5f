// What an API learns about the age and the strength of a sign-in (RFC 9470 §6).

import { decodeJwt } from 'jose'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { populate, SIGN_IN, tokensOf } from '../../../support/claims/sign-ins.ts'
import { createClient } from '../../../support/records.ts'
import { basic, CLIENTS, startService } from '../../../support/service.ts'

const { auth_time, acr } = SIGN_IN

t.test('a token of a user says when and how the user signed in', async (t) => {
  const service = await startService(t, { demo: false })
  await populate(service.storage)
  const gateway = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }
  await createClient(service.storage, 'gateway', formatClient(gateway))
  const factsOf = async (token: string) =>
    (await service.post('/oauth2/introspect', { token }, basic('gateway'))).json
  const known = await tokensOf(service, 'shop')
  t.match(await factsOf(known.access_token), { active: true, auth_time, acr })
  if (known.access_token.split('.').length === 3) t.match(decodeJwt(known.access_token), { auth_time, acr })

  const unknown = await tokensOf(service, 'shop', { acr: undefined })
  const facts = await factsOf(unknown.access_token)
  t.match(facts, { active: true, auth_time })
  t.notHas(facts, 'acr', 'a sign-in whose strength is not known')

  const own = await service.token({ grant_type: 'client_credentials' }, basic('gateway'))
  const own_facts = await factsOf(String(own.json.access_token))
  t.equal(own_facts.active, true)
  t.notHas(own_facts, 'auth_time', 'a client that acts for itself did not sign in')
})
