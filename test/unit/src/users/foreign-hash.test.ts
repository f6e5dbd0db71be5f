import t from 'tap'
import { readForeignHash } from '../../../../src/users/foreign-hash.ts'
import { HashThreads } from '../../../../src/users/hash-threads.ts'
import { isPasswordHash, passwordHashProblem } from '../../../../src/users/password-hash.ts'
import { FOREIGN_HASHES } from '../../../support/foreign-hashes.ts'

const SALT = 'c2FsdHNhbHRzYWx0'
const SUM = 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo'
const BCRYPT = 'R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi'

t.test('the hashes of other systems fit their passwords, and no others', async (t) => {
  const threads = new HashThreads()
  for (const [of, password, hash] of FOREIGN_HASHES) {
    t.equal(passwordHashProblem(hash), undefined, of)
    t.equal(await threads.verify(hash, password), true, of)
    t.equal(await threads.verify(hash, `x${password}`), false, of)
    // The last character but one: all its bits count.
    const at = hash.length - (hash.endsWith('=') ? 3 : 2)
    const other = hash.slice(0, at) + (hash[at] === 'a' ? 'b' : 'a') + hash.slice(at + 1)
    t.equal(await threads.verify(other, password), false, `${of}, another hash`)
  }
})

t.test('the highest costs that are accepted, and one more', (t) => {
  const pairs: [accepted: string, refused: string][] = [
    [`$2b$14$${BCRYPT}`, `$2b$15$${BCRYPT}`],
    [`$pbkdf2-sha512$2000000$${SALT}$${SUM}`, `$pbkdf2-sha512$2000001$${SALT}$${SUM}`],
    [`pbkdf2_sha256$2000000$saltsalt$${SUM}`, `pbkdf2_sha256$2000001$saltsalt$${SUM}`],
    // 24 bytes are two blocks of SHA-1.
    [`$pbkdf2$1000000$${SALT}$${SUM}`, `$pbkdf2$1000001$${SALT}$${SUM}`],
    [`$scrypt$ln=16,r=8,p=2$${SALT}$${SUM}`, `$scrypt$ln=17,r=8,p=1$${SALT}$${SUM}`],
    [`$scrypt$ln=15,r=16,p=1$${SALT}$${SUM}`, `$scrypt$ln=15,r=17,p=1$${SALT}$${SUM}`],
    [`$scrypt$ln=15,r=8,p=4$${SALT}$${SUM}`, `$scrypt$ln=15,r=8,p=5$${SALT}$${SUM}`],
  ]
  for (const [accepted, refused] of pairs) {
    t.ok(isPasswordHash(accepted), accepted)
    t.match(passwordHashProblem(refused), /^costs too much: at most /, refused)
  }
  const huge = [
    `$pbkdf2-sha256$9999999999$${SALT}$${SUM}`,
    `$scrypt$ln=99,r=8,p=1$${SALT}$${SUM}`,
    `$scrypt$ln=1,r=9999999,p=9999999$${SALT}$${SUM}`,
  ]
  for (const hash of huge) t.notOk(isPasswordHash(hash), hash)
  t.end()
})

t.test('malformed hashes are refused, and the problem names the form without the hash', (t) => {
  const bad: [wanted: RegExp, hashes: string[]][] = [
    [
      /^must be a hash of bcrypt/,
      [
        '$2$',
        `$2x$10$${BCRYPT}`,
        `$2$10$${BCRYPT}`,
        `$2b$3$${BCRYPT}`,
        `$2b$03$${BCRYPT}`,
        `$2b$10$${BCRYPT}a`,
        `$2b$10$${BCRYPT.slice(1)}`,
        `$2b$10$+${BCRYPT.slice(1)}`,
        `$2b$10$${BCRYPT}\n`,
      ],
    ],
    [
      /^must be a hash of pbkdf2/,
      [
        'pbkdf2',
        `$pbkdf2-md5$1000$${SALT}$${SUM}`,
        `$pbkdf2-sha256$0$${SALT}$${SUM}`,
        `$pbkdf2-sha256$01000$${SALT}$${SUM}`,
        `$pbkdf2-sha256$-1$${SALT}$${SUM}`,
        `$pbkdf2-sha256$1e3$${SALT}$${SUM}`,
        `$pbkdf2-sha256$i=1000,l=32$${SALT}$${SUM}`,
        `$pbkdf2-sha256$1000$${SALT}$${SUM}$`,
        `$pbkdf2-sha256$1000$${SALT}$${SUM}=`,
        `$pbkdf2-sha256$1000$s!lt${SALT}$${SUM}`,
        `$pbkdf2-sha256$1000$${SALT}$`,
        `pbkdf2_sha512$1000$saltsalt$${SUM}`,
        `pbkdf2_sha256$1000$$${SUM}`,
        `pbkdf2_sha256$1000$salt salt$${SUM}`,
        `pbkdf2_sha256$1000$saltsalt$${SUM}===`,
      ],
    ],
    [
      /^must be a hash of scrypt/,
      [
        'scrypt$16384$saltsalt$8$1$aGFzaA==',
        `$scrypt$ln=0,r=8,p=1$${SALT}$${SUM}`,
        `$scrypt$ln=16,r=1,p=1$${SALT}$${SUM}`,
        `$scrypt$ln=10,r=0,p=1$${SALT}$${SUM}`,
        `$scrypt$ln=10,r=8,p=0$${SALT}$${SUM}`,
        `$scrypt$ln=10,r=8$${SALT}$${SUM}`,
        `$scrypt$n=1024,r=8,p=1$${SALT}$${SUM}`,
      ],
    ],
    [
      /^must have a salt of at least 8 bytes and a hash of 16 to 64$/,
      [
        `$pbkdf2-sha256$1000$c2FsdHNhbA$${SUM}`,
        `$pbkdf2-sha256$1000$${SALT}$aGFzaGhhc2hoYXNo`,
        `$pbkdf2-sha256$1000$${SALT}$${SUM.repeat(3)}`,
        `pbkdf2_sha256$1000$7-bytes$${SUM}`,
        `$scrypt$ln=10,r=8,p=1$c2FsdHNhbA$${SUM}`,
        `$scrypt$ln=10,r=8,p=1$${SALT}$aGFzaGhhc2hoYXNo`,
      ],
    ],
    [/^must have at most 512 characters$/, [`$pbkdf2-sha256$1000$${SALT.repeat(100)}$${SUM}`]],
  ]
  for (const [wanted, hashes] of bad) {
    for (const hash of hashes) t.match(passwordHashProblem(hash), wanted, hash.slice(0, 80))
  }
  for (const other of ['', 'plain', '$argon2id$v=19$', '$1$md5', ` $2b$10$${BCRYPT}`]) {
    t.equal(readForeignHash(other), undefined, other)
    t.match(passwordHashProblem(other), /^must be a PHC string of argon2id/)
  }
  t.end()
})

t.test('a thread computes no hash beyond the limits', async (t) => {
  await t.rejects(new HashThreads().verify(`$2b$15$${BCRYPT}`, 'x'), /costs too much/)
})
