import type { Test } from 'tap'
import { SILENT } from '../contract/redis-subject.ts'
import { redisStorage } from '../redis-storage.ts'
import type { Person, Stage } from './stage.ts'

/** What the passkeys of a stage are managed with, on its Redis. */
export function behind(t: Pick<Test, 'teardown'>, { redis, issuer }: Stage) {
  const storage = redisStorage(t, redis)
  const settings = { issuer, service_name: 'redmint', demo: false } as const
  return { storage, settings, log: SILENT, report: () => {}, now: Date.now }
}

/** Gives the browser of a person an authenticator in the device, which asks who they are. */
export async function withAuthenticator({ context, page }: Person) {
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  })
  return {
    /** Whether the person touches it from now on. */
    touch: (enabled: boolean) =>
      devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** Whether it recognizes the person from now on. */
    recognizes: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** The ids of the passkeys in it. */
    async ids() {
      const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'))
    },
  }
}
