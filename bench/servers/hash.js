// Prints the CPU of one verification of a password by itself, in microseconds: argon2id at redmint's default cost.
import { Algorithm, hash, verify } from '@node-rs/argon2'

const VERIFICATIONS = 40
const password = 'a-password-of-the-benchmark'
const options = { algorithm: Algorithm.Argon2id, memoryCost: 19456, timeCost: 2, parallelism: 1 }
const hashed = await hash(password, options)
const costs = []
for (let i = 0; i < VERIFICATIONS; i += 1) {
  const before = process.cpuUsage()
  if (!(await verify(hashed, password))) throw new Error('the password does not match its hash')
  const { user, system } = process.cpuUsage(before)
  costs.push(user + system)
}
costs.sort((a, b) => a - b)
console.log(costs[VERIFICATIONS / 4])
