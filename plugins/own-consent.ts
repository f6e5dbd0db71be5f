import fp from 'fastify-plugin'
import { ownConsent } from '../src/own-login/own-consent.ts'

/** People consent at the page of an application. */
export default fp<{ readonly consent_url: string }>(
  async ({ redmint }, { consent_url }) => {
    redmint.own_consent.site = ownConsent(redmint, consent_url)
  },
  { name: 'redmint-own-consent', dependencies: ['redmint-context'] },
)
