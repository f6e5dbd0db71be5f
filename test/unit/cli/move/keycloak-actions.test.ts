// What a user of Keycloak had to do at the next sign-in is demanded here, too, or said to be lost.
import t from 'tap'
import { convertUser } from '../../../../cli/move/from/keycloak-user.ts'

const PASSWORD = {
  type: 'password',
  secretData: JSON.stringify({
    value: Buffer.alloc(32, 1).toString('base64'),
    salt: Buffer.alloc(16, 2).toString('base64'),
  }),
  credentialData: JSON.stringify({ hashIterations: 27_500, algorithm: 'pbkdf2-sha256' }),
}

const converted = (requiredActions: unknown, credentials: readonly object[] = [PASSWORD]) => {
  const user = { id: 'sub-1', username: 'una', enabled: true, email: 'una@example.com', emailVerified: true }
  const { members, notes } = convertUser('users[0]', 'una', { ...user, credentials, requiredActions }, {
    groups_claim: 'groups',
    now: 0,
  } as Parameters<typeof convertUser>[3])
  const { password_hash, second_factor, claims } = members as Record<string, unknown>
  return {
    has_password: password_hash !== undefined,
    second_factor,
    is_verified: (claims as { email_verified?: true }).email_verified === true,
    told: notes.list
      .filter(({ field }) => field.startsWith('requiredActions'))
      .map(({ fate, field }) => `${fate} ${field.slice('requiredActions'.length)}`),
  }
}

const AS_IT_IS = { has_password: true, second_factor: undefined, is_verified: true, told: [] }

t.test('each action is demanded here, or told', async (t) => {
  t.strictSame(converted([]), AS_IT_IS)
  t.strictSame(converted(undefined), AS_IT_IS)
  for (const [action, fate, change] of [
    ['UPDATE_PASSWORD', 'changed', { has_password: false }],
    ['CONFIGURE_TOTP', 'changed', { second_factor: 'required' }],
    ['webauthn-register', 'changed', { second_factor: 'required' }],
    ['VERIFY_EMAIL', 'changed', { is_verified: false }],
    ['UPDATE_EMAIL', 'changed', { is_verified: false }],
    ['UPDATE_PROFILE', 'lost', {}],
    ['TERMS_AND_CONDITIONS', 'lost', {}],
    ['webauthn-register-passwordless', 'lost', {}],
    ['CONFIGURE_RECOVERY_AUTHN_CODES', 'lost', {}],
    ['our-own-action', 'lost', {}],
    ['constructor', 'lost', {}],
  ] as const) {
    t.strictSame(converted([action]), { ...AS_IT_IS, ...change, told: [`${fate} .${action}`] }, action)
  }
  t.strictSame(converted('UPDATE_PASSWORD').told, ['lost '], 'of another type')
})

t.test('a temporary password is not taken over', async (t) => {
  t.match(converted([], [{ ...PASSWORD, temporary: true }]), { has_password: false })
  t.match(converted([], [{ ...PASSWORD, temporary: false }]), { has_password: true })
})
