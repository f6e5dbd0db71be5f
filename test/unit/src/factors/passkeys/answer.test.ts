// What a page posts for a passkey: only what our script makes is read.
import t from 'tap'
import { readAnswer } from '../../../../../src/factors/passkeys/answer.ts'

const clientData = (more: object = {}) =>
  Buffer.from(JSON.stringify({ challenge: 'c', crossOrigin: false, ...more })).toString('base64url')

const answer = (more: object = {}, response: object = {}) =>
  JSON.stringify({ id: 'an-id_1', response: { clientDataJSON: clientData(), ...response }, ...more })

t.test('what the script makes is read', async (t) => {
  const given = { userHandle: 'handle', transports: ['internal', 'hybrid'] }
  t.match(readAnswer(answer({}, given)), {
    id: 'an-id_1',
    challenge: 'c',
    user_handle: 'handle',
    transports: ['internal', 'hybrid'],
  })
  for (const userHandle of [undefined, null, '', 1])
    t.equal(readAnswer(answer({}, { userHandle }))?.user_handle, undefined)
  t.ok(readAnswer(answer({ id: 'x'.repeat(1364) })), 'the longest id')
})

t.test('anything else is not', async (t) => {
  for (const text of [
    undefined,
    '',
    'x',
    '[]',
    answer({ id: undefined }),
    answer({ id: 1 }),
    answer({ id: ['an-id_1'] }),
    answer({ id: '' }),
    answer({ id: 'x'.repeat(1365) }),
    answer({ id: 'a b' }),
    answer({ id: 'a+b' }),
    answer({ response: undefined }),
    answer({ response: 'x' }),
    answer({ response: [] }),
    answer({}, { clientDataJSON: undefined }),
    answer({}, { clientDataJSON: { toString: 'x' } }),
    answer({}, { clientDataJSON: 'x' }),
    answer({}, { clientDataJSON: clientData({ challenge: undefined }) }),
    answer({}, { clientDataJSON: clientData({ challenge: ['c'] }) }),
    answer({}, { clientDataJSON: clientData({ crossOrigin: true }) }),
    answer({}, { clientDataJSON: clientData({ crossOrigin: 'false' }) }),
    answer({}, { clientDataJSON: clientData({ topOrigin: 'https://auth.example.com' }) }),
    answer({}, { more: 'x'.repeat(16_384) }),
  ])
    t.equal(readAnswer(text), undefined, String(text).slice(0, 80))
})

t.test('transports are few, and of their form', async (t) => {
  const transportsOf = (transports: unknown) => readAnswer(answer({}, { transports }))?.transports
  t.strictSame(transportsOf(undefined), [])
  t.strictSame(transportsOf('internal'), [])
  t.strictSame(transportsOf([1, 'usb', '', 'USB', 'x'.repeat(17), ['nfc'], '<b>', 'smart-card']), [
    'usb',
    'smart-card',
  ])
  t.strictSame(transportsOf(Array(20).fill('usb')), Array(8).fill('usb'))
})
