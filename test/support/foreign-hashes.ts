/** Hashes that other systems made: of what, their password, and the hash. The salt of each is of at least 8 bytes. */
export const FOREIGN_HASHES: readonly [of: string, password: string, hash: string][] = [
  ['bcrypt $2a$ (crypt_blowfish)', 'U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  [
    'bcrypt $2b$ (passlib)',
    'tá\u0411\u2113\u0259',
    '$2b$05$Z17AXnnlpzddNUvnC6cZNOSwMA/8oNiKnHTHTwLlBijfucQQlHjaG',
  ],
  ['bcrypt $2y$ (crypt_blowfish)', '\u0451', '$2y$05$6bNw2HLQYeqHYyBfLMsv/OUcZd0LKP39b87nBw3.S2tVZSqiQX6eu'],
  [
    'bcrypt of 257 bytes (OpenBSD)',
    '0123456789'.repeat(26).slice(0, 257),
    '$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi',
  ],
  [
    'pbkdf2 of SHA-1 (passlib)',
    'password',
    '$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI',
  ],
  [
    'pbkdf2 of SHA-1 (PHC)',
    'password',
    '$pbkdf2-sha1$i=1212,l=20$OB+dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI',
  ],
  [
    'pbkdf2 of SHA-256 (passlib)',
    'password',
    '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
  ],
  [
    'pbkdf2 of SHA-256 (PHC)',
    'password',
    '$pbkdf2-sha256$i=6400$+6UI/S+nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
  ],
  [
    'pbkdf2 of SHA-512 (passlib)',
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  ],
  [
    'pbkdf2 of SHA-256 (Django)',
    'not a password',
    'pbkdf2_sha256$10000$kjVJaVz6qsnJ$5yPHw3rwJGECpUf70daLGhOrQ5+AMxIJdz1c3bqK1Rs=',
  ],
  ['pbkdf2 of SHA-1 (Django)', 'lètmein', 'pbkdf2_sha1$130000$seasalt2x$fzCPowHIDL0u5bc1zEpuSzzdgcM='],
  [
    'scrypt (RFC 7914 §12)',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  ],
  [
    'scrypt (passlib)',
    'test',
    '$scrypt$ln=8,r=8,p=1$wlhLyXmP8b53bm1NKYVQqg$mTpvG8lzuuDk+DWz8HZIB6Vum6erDuUm0As5yU+VxWA',
  ],
]
