import type { KeyObject } from 'node:crypto'

// All encodings of the points of small order, without the highest bit: for Ed25519 it is a sign (RFC 8032 §5.1.2), for
// X25519 it does not count (RFC 7748 §5). The last two are not in the shortest form.
const SMALL_ORDER: Readonly<Record<string, readonly string[]>> = {
  ed25519: [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ],
  x25519: [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ],
}

/**
 * Whether a key is a point by which anybody can sign (Ed25519), or with which there is no secret (X25519, RFC 7748
 * §6.1).
 */
export function isOfSmallOrder(publicKey: KeyObject): boolean {
  const known = SMALL_ORDER[publicKey.asymmetricKeyType ?? '']
  if (known === undefined) return false
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const octets = Buffer.from(x, 'base64url')
  octets[31] = (octets[31] ?? 0) & 0x7f
  return known.includes(octets.toString('hex'))
}
