import t from 'tap'
import { PAYMENT_SCHEMA } from '../../../support/details.ts'
import { onEachStorage, operatorOn } from '../../../support/operator.ts'

const schema = JSON.stringify(PAYMENT_SCHEMA)
const one = { params: { detail_type: 'payment' } }

onEachStorage(t, 'types of details by the admin API', async (t, storage) => {
  const { run, events } = operatorOn(storage)
  const body = { detail_type: 'payment', schema, text: { en: 'Pay {amount}', de: '{amount} zahlen' } }
  const created = await run('create_detail_type', { body })
  t.match(created.body, { ...body, state: 'active' })
  const wrong = { ...body, detail_type: 'other', text: { en: 'Pay {nothing}' } }
  await t.rejects(run('create_detail_type', { body: wrong }), { code: 'invalid_field' })
  const patch = { text: { fr: 'Payer {amount}', de: null }, remember: true }
  const changed = await run('change_detail_type', { ...one, version: created.version, body: patch })
  t.match(changed.body, { text: { en: 'Pay {amount}', fr: 'Payer {amount}', de: undefined }, remember: true })
  // A merge of two schemas would be none.
  const smaller = '{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]}'
  const replaced = await run('change_detail_type', {
    ...one,
    version: changed.version,
    body: { schema: smaller },
  })
  t.equal(replaced.body.schema, smaller)
  t.match((await run('lint_detail_types', {})).body, { checked: 1, items: [] })
  await run('delete_detail_type', { ...one, version: replaced.version })
  t.strictSame(
    events.map(({ event }) => event),
    ['detail_type_changed', 'detail_type_changed', 'detail_type_changed', 'detail_type_removed'],
  )
})
