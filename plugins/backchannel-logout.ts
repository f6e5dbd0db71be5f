import type { LookupFunction } from 'node:net'
import fp from 'fastify-plugin'
import { COURIER_TIMING, type CourierTiming, LogoutCourier } from '../src/logout/courier.ts'
import { postPublicly } from '../src/outbound/public-post.ts'

/** What tests replace. */
export interface BackchannelOptions {
  timing?: Partial<CourierTiming>
  /** Resolves the host name of a client. */
  lookup?: LookupFunction
}

/** Sends logout tokens to clients while the service runs (OpenID Connect Back-Channel Logout). */
export default fp<BackchannelOptions>(
  async (fastify, { timing, lookup }) => {
    const { settings, logouts } = fastify.redmint
    const options = { allow_private: settings.backchannel_allow_private, ...(lookup && { lookup }) }
    const courier = new LogoutCourier(fastify.redmint, (uri, form) => postPublicly(uri, form, options), {
      ...COURIER_TIMING,
      ...timing,
    })
    const wake = () => courier.wake()
    logouts.on('queued', wake)
    fastify.addHook('onReady', async () => courier.start())
    // Deliveries end while the last requests are answered, so that closing does not take longer.
    fastify.addHook('preClose', async () => {
      logouts.off('queued', wake)
      void courier.close()
    })
    fastify.addHook('onClose', () => courier.close())
  },
  { name: 'redmint-backchannel-logout', dependencies: ['redmint-context'] },
)
