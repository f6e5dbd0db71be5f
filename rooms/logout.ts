import type { LookupFunction } from 'node:net'
import type { OwnRoom } from '../plugins/room.ts'
import { COURIER_TIMING, LogoutCourier } from '../src/logout/courier.ts'
import { EndingWorker } from '../src/logout/ending-worker.ts'
import type { CourierTiming } from '../src/outbound/notice-courier.ts'
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
    const endings = new EndingWorker(ground, () => ground.logouts.emit('queued'))
    return {
      hears: { logout: () => courier.wake(), ending: () => endings.wake() },
      workers: [courier, endings],
    }
  },
})
