import t from 'tap'
import { loggedFacts, shownFacts, shownValue } from '../../../../src/core/shown-facts.ts'

const SECRET = 'bnZbvK3mWq0aXtY8sPzLr2Hc6eJd1fGg9oUiQkT5yVw'
const TOKEN = `AbCdEfGhIjKlMnOp.${SECRET}`

t.test('tokens, credentials and values of queries are hidden, unless the other side has them', async (t) => {
  t.equal(shownValue(TOKEN), '…')
  t.equal(shownValue('https://user:pass@app.example/x'), 'https://…@app.example/x')
  t.equal(shownValue('https://app.example/x?key=typed#f=g'), 'https://app.example/x?key=…#f=…')
  t.equal(shownValue('https://app.example/x?a=b', ['https://app.example/?a=b']), 'https://app.example/x?a=b')
})

t.test('of a long value only the beginning is looked at, so its end costs nothing', async (t) => {
  const long = 'a word, '.repeat(60)
  t.equal(shownValue(`${long}${'?'.repeat(16_000)}`), shownValue(`${long}${'eyJ'.repeat(5000)}`))
  t.equal(shownValue(long).length, 201)
})

t.test('a token that the beginning cuts off is not shown', async (t) => {
  for (let shift = 0; shift < TOKEN.length; shift++) {
    const shown = shownValue(`${' '.repeat(shift)}${`${TOKEN} `.repeat(20)}`)
    t.notOk(shown.includes(SECRET.slice(0, 8)) || shown.includes(TOKEN.slice(0, 8)), `${shift}: ${shown}`)
  }
})

t.test('a line of the log has numbers, and of texts those that the other side has', async (t) => {
  const received = { scope: ['openid', 'typed'], acr: '1', iat: 17, response_type: 'typed' }
  const expected = { scope: ['openid'], acr: ['1', '2'], now: 18 }
  t.strictSame(loggedFacts(received, expected), { acr: '1', iat: 17 })
  t.strictSame(loggedFacts({ scope: ['openid'] }, expected), { scope: ['openid'] })
  t.equal(loggedFacts(undefined), undefined)
})

t.test('a long list is cut', async (t) => {
  const shown = shownFacts({ scope: Array.from({ length: 30 }, (_, i) => `s${i}`) })
  t.equal([shown?.scope].flat().length, 21)
})
