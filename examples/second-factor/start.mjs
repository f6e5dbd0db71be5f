// Starts redmint in demo mode with storage in memory; its user alice has a second factor.
import { randomBytes } from 'node:crypto'
import Fastify from 'fastify'
import redmint from 'redmint'
import { passwordThenCode } from './password-then-code.mjs'
import { base32 } from './totp.mjs'

const PORT = 3000
// Yours are in a database, encrypted, and written when a user has set up the app.
const keys = new Map([['alice', randomBytes(20)]])

const fastify = Fastify()
await fastify.register(redmint, {
  issuer: `http://localhost:${PORT}`,
  demo: true,
  home: true,
  methods: [passwordThenCode((username) => keys.get(username))],
})
await fastify.listen({ host: '127.0.0.1', port: PORT })
console.log(`Open http://localhost:${PORT}/demo, and sign in as alice with the password wonderland.`)
console.log('Her authenticator app has this key:')
console.log(`otpauth://totp/redmint:alice?issuer=redmint&secret=${base32(keys.get('alice'))}`)
