import { hash } from 'node:crypto'
import t from 'tap'
import { codeDigest } from '../../../../src/storage/family-digests.ts'

t.test('the digest of a code is that of a list in JSON, which grants of earlier versions keep', async (t) => {
  const digest = (list: unknown) => hash('sha256', JSON.stringify(list), 'base64url')
  t.equal(
    codeDigest('a.b', {
      client_id: 'a "b"',
      redirect_uri: 'https://app.example/é',
      code_challenge: undefined,
    }),
    digest([
      'a.b',
      [
        ['client_id', 'a "b"'],
        ['redirect_uri', 'https://app.example/é'],
        ['code_challenge', null],
      ],
    ]),
  )
  t.equal(codeDigest('a.b', { empty: '' }), digest(['a.b', [['empty', null]]]))
  t.equal(codeDigest('a.b', {}), digest(['a.b', []]))
})
