import { readFileSync } from 'node:fs'
import t from 'tap'
import { type PasswordRules, passwordProblem } from '../../../../src/users/password-rules.ts'

const RULES: PasswordRules = {
  sign_in: 'password',
  password_min_length: 8,
  service_name: 'Ächzende Mühle',
  issuer: 'https://login.example.com:8443/auth',
}
const OWNER = { username: 'Alice.Example', email: 'a.liddell@wonderland.example' }
const problem = (password: string, rules: Partial<PasswordRules> = {}) =>
  passwordProblem(password, { ...RULES, ...rules }, OWNER)

t.test('the length counts characters after normalization, and is that of the setting', (t) => {
  const rules = { password_min_length: 15 }
  t.equal(problem('zwölf Äpfel sind', rules), undefined)
  t.equal(problem('fourteen chars', rules), 'has 14 characters, and needs at least 15: use several words')
  t.equal(problem('fifteen 🐙 chars', rules), undefined, 'a character outside the BMP is one')
  t.match(
    problem('fu\u0308nf zahlen 12', rules),
    /^has 14 characters/,
    'two code points of one letter are one',
  )
  t.match(problem('hush'), /^has 4 characters, and needs at least 8/)
  t.match(problem(''), /^has 0 characters/)
  t.end()
})

t.test('no mixture of characters is asked for, and 1024 bytes are allowed', (t) => {
  for (const accepted of [
    'zebrafinches',
    '8362519407',
    'ZEBRAFINCHES',
    'öäüößñçé',
    ' one, two ',
    `${'ab'.repeat(511)}cd`,
  ]) {
    t.equal(problem(accepted), undefined, accepted.slice(0, 20))
  }
  for (const refused of [`${'ab'.repeat(512)}c`, 'control\u0007character', 'lone \uD800 surrogate']) {
    t.equal(problem(refused), 'must have at most 1024 bytes and no control characters')
  }
  t.end()
})

t.test('the most common passwords are refused, in any case and width, with spaces and repeated', (t) => {
  const common = ['password', 'Password1', 'PASS WORD', 'ｐａｓｓｗｏｒｄ', 'iloveyou', 'password\u00A0123']
  const long = ['passwordpassword', 'Password1Password1', '123456789012345', 'correct horse battery staple']
  for (const refused of [...common, ...long])
    t.match(problem(refused), /^is among the most common ones/, refused)
  for (const accepted of ['password of a zebra', 'xpassword', 'correct horse battery']) {
    t.equal(problem(accepted), undefined, accepted)
  }
  t.end()
})

t.test('a few characters are no password, however often they are repeated', (t) => {
  for (const refused of ['aaaaaaaaaaaaaaa', 'abcabcabc', 'qwertyqwertyqwe', '1234567 1234567', '        ']) {
    t.equal(problem(refused), 'only repeats a few characters: use several words', refused)
  }
  t.equal(problem('abcabcabcd'), undefined)
  t.end()
})

t.test('names and addresses of the user and of the service are refused', (t) => {
  const ofUser = [
    'alice.example',
    'ALICE.EXAMPLE',
    'alice.examplealice.example',
    'A.Liddell@Wonderland.example',
    'a.liddell',
  ]
  const ofService = [
    'ächzendemühle',
    'Ächzende Mühle',
    'login.example.com',
    'login.example.com:8443',
    RULES.issuer,
  ]
  for (const refused of [...ofUser, ...ofService]) {
    t.match(problem(refused), /^is a name or an address of the user or of this service/, refused)
  }
  t.equal(problem('alice.example and more'), undefined, 'only the whole text is compared')
  t.equal(passwordProblem('a.liddell', RULES, { username: 'alice' }), undefined, 'without an address')
  t.end()
})

t.test('no message quotes the password, and all say what to do', (t) => {
  for (const refused of ['hush', 'iloveyou', 'zyzyzyzy', 'alice.example']) {
    t.notMatch(problem(refused), refused)
    t.match(problem(refused), /: use several words/)
  }
  t.end()
})

t.test('the list is small, and each line of it is in the form in which texts are compared', (t) => {
  const list = readFileSync(new URL('../../../../src/users/common-passwords.txt', import.meta.url), 'utf8')
  t.ok(Buffer.byteLength(list) <= 60_000)
  const lines = list.trimEnd().split('\n')
  t.ok(lines.length >= 3000)
  t.strictSame(
    lines.filter((line) => !problem(line)?.startsWith('is among the most common')),
    [],
  )
  t.strictSame(lines, [...new Set(lines)].sort())
  t.end()
})
