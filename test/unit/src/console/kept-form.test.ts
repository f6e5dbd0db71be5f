// What is kept of a form: what was typed, and no secret, however a form carries it.
import t from 'tap'
import { keepable } from '../../../../src/console/kept-form.ts'

t.test('no secret is kept, nor what binds a form to its session', async (t) => {
  const carried = JSON.stringify({ name: 'Partner', client_secret: 'very-secret' })
  const kept = keepable({
    ...{ csrf: 'a', key: 'b', owner: 'c', step: 'save', name: 'Partner' },
    ...{ client_secret: 'very-secret', token: 'very-secret', q: 'very-secret' },
    ...{ typed: carried, before: carried },
  })
  t.strictSame(Object.keys(kept).sort(), ['before', 'name', 'step', 'typed'])
  t.notMatch(JSON.stringify(kept), 'very-secret')
  t.equal(kept.typed, '{"name":"Partner"}')
  t.equal(keepable({ typed: 'bob' }).typed, 'bob', 'a name that was typed')
})
