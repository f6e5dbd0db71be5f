// The measurement of requests without credentials asks every path, and no answer is a fault of the service.
import t from 'tap'
import { FORGED_EVENT, makeRequests, missingPaths, startBesieged } from '../../../bench/strangers-requests.ts'

t.test('each request without credentials is answered', async (t) => {
  const service = await startBesieged()
  t.teardown(() => service.close())
  const rows = makeRequests()
  t.strictSame(missingPaths(rows), [])
  for (const { name, normal, largest } of rows)
    for (const request of [normal, ...(largest ? [largest.request] : [])])
      t.ok((await service.inject(request())).statusCode < 500, name)
  const forged = rows.find(({ name }) => name === FORGED_EVENT)
  for (const request of [forged?.normal, forged?.largest?.request]) {
    const answer = request && (await service.inject(request()))
    t.match(answer?.json(), { err: 'invalid_key' }, 'nothing but its signature refuses it')
  }
})
