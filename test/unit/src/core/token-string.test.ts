import t from 'tap'
import { isOpaqueToken, newFamilyId, newToken, parseToken } from '../../../../src/core/token-string.ts'

const FAMILY = 'abcXYZ012_-abcde'
const SECRET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123_-x'

t.test('a token string has 16 characters, a dot, and 43 characters', async (t) => {
  t.strictSame(parseToken(`${FAMILY}.${SECRET}`), { family: FAMILY, secret: SECRET })
  t.ok(isOpaqueToken(newToken(newFamilyId())))
})

t.test('any other text is not a token string', async (t) => {
  const others = {
    nothing: '',
    'one character more': `${FAMILY}.${SECRET}x`,
    'one character less': `${FAMILY}.${SECRET.slice(1)}`,
    'the dot one place earlier': `${FAMILY.slice(1)}.${SECRET}x`,
    'the dot one place later': `${FAMILY}x.${SECRET.slice(1)}`,
    'no dot': `${FAMILY}x${SECRET}`,
    'two dots': `${FAMILY}.${SECRET.slice(1)}.`,
    'a brace in the family': `{${FAMILY.slice(1)}.${SECRET}`,
    'a brace in the secret': `${FAMILY}.${SECRET.slice(1)}}`,
    'a line feed at the end': `${FAMILY}.${SECRET.slice(1)}\n`,
    'a space': `${FAMILY}. ${SECRET.slice(1)}`,
    'a letter of another script': `${FAMILY}.é${SECRET.slice(1)}`,
  }
  for (const [name, text] of Object.entries(others)) {
    t.notOk(isOpaqueToken(text), name)
    t.equal(parseToken(text), undefined, name)
  }
})
