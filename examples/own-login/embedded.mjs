// An application that embeds redmint, and whose accounts sign in: a sign-in method and an account source.
import Fastify from 'fastify'
import redmint, { html } from 'redmint'

const PORT = 3000
// Yours are in a database, and of passwords it has hashes.
const ACCOUNTS = [
  { id: 'u-1001', login: 'ann', password: 'correct horse', name: 'Ann Example', email: 'ann@example.org' },
]

/** Who it is: every failure takes the same time. */
const method = {
  name: 'shop',
  acr_values: ['1'],
  // Failures are counted under what was typed.
  username: ({ answer }) => answer.login ?? '',
  async authenticate(context, { answer }) {
    const account = ACCOUNTS.find(({ login }) => login === answer.login)
    // Yours compares a hash, also if there is no account.
    if (account === undefined || account.password !== answer.secret)
      return { outcome: 'failed', reason: 'wrong_answer' }
    const user = await context.findAccount(account.id)
    if (user === undefined) return { outcome: 'failed', reason: 'unknown_user' }
    return { outcome: 'ok', user, amr: ['pwd'], acr: '1' }
  },
  fields: () => html`<label for="login">Name in the shop</label>
<input id="login" name="login" autocomplete="username" required autofocus>
<label for="secret">Password</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required>
<button class="main">Sign in</button>`,
}

/** What the account is now: redmint asks at each sign-in, and keeps it for claims and groups. */
const account_source = {
  async find(sub) {
    const account = ACCOUNTS.find(({ id }) => id === sub)
    if (account === undefined) return undefined
    const { login, name, email } = account
    return { sub, username: login, claims: { name, email, email_verified: true } }
  },
}

const fastify = Fastify()
await fastify.register(redmint, {
  issuer: `http://localhost:${PORT}`,
  demo: true,
  home: true,
  methods: [method],
  account_source,
})
await fastify.listen({ host: '127.0.0.1', port: PORT })
console.log(`Open http://localhost:${PORT}/demo, and sign in as ann with the password "correct horse".`)
