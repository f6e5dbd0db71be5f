import { createCipheriv, randomBytes } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import t from 'tap'
import { StoredKeyError, storedPrivateKey, unwrapPrivateKey } from '../../../../src/keys/wrap.ts'

const KEY = randomBytes(32)
const JWK = { kty: 'oct', k: 'a-secrét' }

async function wrapped(): Promise<string> {
  const { private_jwe = '' } = await storedPrivateKey(JWK, 'a-kid', KEY)
  return private_jwe
}

t.test('a wrapped key is a JWE, which is unwrapped with the same key (RFC 7516)', async (t) => {
  const private_jwe = await wrapped()
  t.same(decode(private_jwe.split('.', 1)[0] ?? ''), { alg: 'dir', enc: 'A256GCM', kid: 'a-kid' })
  t.same(await unwrapPrivateKey({ kid: 'a-kid', private_jwe }, KEY), JWK)
  await t.rejects(unwrapPrivateKey({ kid: 'a-kid', private_jwe }, randomBytes(32)), StoredKeyError)
})

t.test('a wrapped key that was changed anywhere is refused', async (t) => {
  const parts = (await wrapped()).split('.')
  const [header = '', encrypted_key, iv = '', ciphertext = '', tag = ''] = parts
  const flip = (part: string) => (part.startsWith('A') ? 'B' : 'A') + part.slice(1)
  const rows = {
    'the kid in the header': [
      encode({ ...decode(header), kid: 'b-kid' }),
      encrypted_key,
      iv,
      ciphertext,
      tag,
    ],
    'the initialization vector': [header, encrypted_key, flip(iv), ciphertext, tag],
    'the ciphertext': [header, encrypted_key, iv, flip(ciphertext), tag],
    'the tag': [header, encrypted_key, iv, ciphertext, flip(tag)],
    // RFC 7518 §5.3: it has 128 bits. A shorter one would be easier to guess.
    'a part of the tag': [
      header,
      encrypted_key,
      iv,
      ciphertext,
      Buffer.from(tag, 'base64url').toString('base64url', 0, 4),
    ],
    'no tag': [header, encrypted_key, iv, ciphertext],
    'nothing else': [header],
    nothing: [],
  }
  for (const [title, changed] of Object.entries(rows)) {
    await t.rejects(
      unwrapPrivateKey({ kid: 'a-kid', private_jwe: changed.join('.') }, KEY),
      StoredKeyError,
      title,
    )
  }
})

t.test('a JWE with another header is refused, although its tag is right', async (t) => {
  const usual = { alg: 'dir', enc: 'A256GCM' }
  t.same(await unwrapPrivateKey({ kid: 'a-kid', private_jwe: encrypt(usual) }, KEY), JWK)
  const text = new TextEncoder().encode(JSON.stringify(JWK))
  for (const header of [
    { ...usual, alg: 'A256KW' },
    { ...usual, enc: 'A128CBC-HS256' },
  ]) {
    const private_jwe = await new CompactEncrypt(text).setProtectedHeader(header).encrypt(KEY)
    await t.rejects(unwrapPrivateKey({ kid: 'a-kid', private_jwe }, KEY), StoredKeyError, private_jwe)
  }
  for (const header of [
    { ...usual, zip: 'DEF' },
    // RFC 7515 §4.1.11: whoever does not understand an extension must refuse it.
    { ...usual, crit: ['exp'], exp: 0 },
  ]) {
    const private_jwe = encrypt(header)
    await t.rejects(unwrapPrivateKey({ kid: 'a-kid', private_jwe }, KEY), StoredKeyError, private_jwe)
  }
})

function encrypt(header: object): string {
  const protectedHeader = encode(header)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', KEY, iv).setAAD(Buffer.from(protectedHeader))
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(JWK)), cipher.final()])
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))
  return [protectedHeader, '', ...parts].join('.')
}

function encode(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url')
}

function decode(header: string): object {
  return JSON.parse(Buffer.from(header, 'base64url').toString())
}
