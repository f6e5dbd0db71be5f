import t from 'tap'
import { RememberedProofs } from '../../../../src/resource-server/remembered-proofs.ts'

function start(max?: number) {
  const clock = { now: 0 }
  const proofs = new RememberedProofs(() => clock.now, max)
  const pass = (seconds: number) => {
    clock.now += seconds * 1000
  }
  return { proofs, pass }
}

t.test('a proof is used once, until it is too old to be accepted', async (t) => {
  const { proofs, pass } = start()
  t.equal(proofs.use('a', 60), true)
  t.equal(proofs.use('a', 60), false)
  t.equal(proofs.use('b', 60), true)
  pass(59.9)
  t.equal(proofs.use('a', 60), false)
  pass(0.1)
  t.equal(proofs.use('a', 60), true)
})

t.test('one behind a proof that lives longer is forgotten in time, too', async (t) => {
  const { proofs, pass } = start()
  proofs.use('long', 120)
  proofs.use('short', 60)
  pass(60)
  t.equal(proofs.use('short', 60), true)
  t.equal(proofs.use('long', 120), false)
  pass(60)
  t.equal(proofs.use('long', 120), true)
})

t.test('a full memory accepts no proof, and forgets none that could be accepted again', async (t) => {
  const { proofs, pass } = start(2)
  proofs.use('a', 60)
  proofs.use('b', 60)
  t.throws(() => proofs.use('c', 60), /2 proofs were used within minutes: set dpop\.used_proofs/)
  t.equal(proofs.use('a', 60), false, 'it is still known')
  pass(60)
  t.equal(proofs.use('c', 60), true)
})
