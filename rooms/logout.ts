import type { LookupFunction } from 'node:net'
import type { OwnRoom } from '../plugins/room.ts'
import type { Worker } from '../src/core/worker.ts'
import { COURIER_TIMING, type CourierTiming, LogoutCourier } from '../src/logout/courier.ts'
import { endingWorker } from '../src/logout/ending-worker.ts'
import { postPublicly } from '../src/outbound/public-post.ts'

/** What tests replace. */
export interface BackchannelOptions {
  timing?: Partial<CourierTiming>
  /** Resolves the host name of a client. */
  lookup?: LookupFunction
}

/** Sends logout tokens to clients (OpenID Connect Back-Channel Logout), and ends sessions and grants in the background. */
export const logout = ({ timing, lookup }: BackchannelOptions): OwnRoom => ({
  name: 'logout',
  async load(ground) {
    const options = { allow_private: ground.settings.backchannel_allow_private, ...(lookup && { lookup }) }
    const courier = new LogoutCourier(ground, (uri, form) => postPublicly(uri, form, options), {
      ...COURIER_TIMING,
      ...timing,
    })
    const endings = endingWorker(ground, () => ground.logouts.emit('queued'))
    return {
      hears: { logout: () => courier.wake(), ending: () => endings.wake() },
      workers: [early(courier), early(endings)],
    }
  },
})

/** What is under way ends while the last requests are answered, so that closing does not take longer. */
const early = (worker: Worker): Worker => ({
  start: () => worker.start?.(),
  close: () => worker.close(),
  closes_early: true,
})
