// Suite: test
// Strangers can have too many sign-ins at one moment whenever they like: the log has one line of it in a minute.
import t from 'tap'
import { overloaded } from '../../src/core/errors.ts'
import type { SignInMethod } from '../../src/interaction/sign-in-method.ts'
import { requestUrl, startWithPeople } from '../src/authorize/people.ts'
import { ONLY_WORD } from '../src/interaction/other-methods.ts'

const busy: SignInMethod = {
  ...ONLY_WORD[0],
  name: 'busy',
  async authenticate() {
    throw overloaded()
  },
}

t.test('a crowd is one error of the log in a minute, and no line of it is lost below', async (t) => {
  const { visitor, log, pass } = await startWithPeople(t, { methods: [busy], second_factor: 'off' })
  const browser = visitor()
  const page = await browser.page(requestUrl())
  const send = async (times: number) => {
    log.length = 0
    for (let i = 0; i < times; i++) await browser.submit(page, { method: 'busy' })
    const levels = log.map((line) => JSON.parse(line)).filter(({ reason }) => reason === 'sign_ins_too_many')
    return levels.map(({ level }) => level)
  }
  t.strictSame(await send(4), [50, 30, 30, 30])
  pass(61)
  t.strictSame(await send(2), [50, 30])
})
