import t from 'tap'
import { uriDifference } from '../../../../src/console/pages/differs.ts'
import { isAsked, uriAnswer } from '../../../../src/console/rooms/uri-tester.ts'

const ONE = 'https://app.example.com/callback'

t.test('how a URI differs is said in words', async (t) => {
  for (const [sent, says] of [
    [`${ONE}/`, 'It has a slash too many at its end.'],
    [`${ONE} `, 'It has a space too many.'],
    ['https://app.example.com/Callback', 'Upper and lower case differ.'],
    ['http://app.example.com/callback', 'What it begins with differs.'],
    ['https://app.example.com:8443/callback', 'The port differs.'],
    ['https://www.example.com/callbacks', 'The host and the path differ.'],
    [`${ONE}?next=1`, 'What follows the question mark differs.'],
    ['https://app.example.com/x/../callback', 'It is written in another way: each character counts.'],
    ['callback', 'Each character counts.'],
  ] as const)
    t.equal(uriDifference(sent, ONE), says, sent)
  t.equal(uriDifference(ONE, `${ONE}/`), 'The slash at its end is missing.')
})

t.test('a URI is judged by the rule of the authorization endpoint', async (t) => {
  const answer = (uri: string, registered: string[], type = 'web') =>
    uriAnswer(uri, registered, type).toString()
  t.equal(answer('', [ONE]), '')
  t.match(answer(ONE, [ONE]), 'is registered')
  t.match(answer('http://127.0.0.1:4711/cb', ['http://127.0.0.1/cb']), 'may be any')
  t.match(answer('http://localhost:4711/cb', ['http://localhost/cb']), 'is not registered')
  t.match(answer('http://localhost:4711/cb', ['http://localhost/cb'], 'native'), 'is registered')
  t.match(answer(`${ONE}/`, [ONE]), 'callback<mark>/</mark>')
  t.match(answer(ONE, []), 'None is.')
  t.match(answer(ONE, ['com.example.app:/elsewhere', 'https://b.example']), 'None of them is similar.')
  t.match(answer('"><img>', [ONE]), '&quot;&gt;&lt;img&gt;')
})

t.test('a form asks once about what was typed, and again if the button was pressed', async (t) => {
  t.notOk(isAsked({}))
  t.notOk(isAsked({ uri: ' ', check: 'uri' }), 'nothing was typed')
  t.ok(isAsked({ uri: ONE, tested: '' }))
  t.notOk(isAsked({ uri: ONE, tested: ONE }), 'the answer was shown')
  t.ok(isAsked({ uri: ONE, tested: ONE, check: 'uri' }))
})
