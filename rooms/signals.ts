import type { LookupFunction } from 'node:net'
import type { OwnRoom } from '../plugins/room.ts'
import type { AnnouncerTiming } from '../src/signals/announcer.ts'
import type { SetCourierTiming } from '../src/signals/set-courier.ts'

/** What tests replace. */
export interface SignalsOptions {
  readonly announcer?: Partial<AnnouncerTiming>
  readonly courier?: Partial<SetCourierTiming>
  /** Resolves the host name of a receiver. */
  readonly lookup?: LookupFunction
}

/** Tells clients of what happens to people who used them (OpenID Shared Signals Framework 1.0). */
export const signals = ({ announcer: reading, courier: sending, lookup }: SignalsOptions): OwnRoom => ({
  name: 'signals',
  isOn: ({ shared_signals }) => shared_signals === 'on',
  async load(ground) {
    const { ANNOUNCER_TIMING, SignalAnnouncer } = await import('../src/signals/announcer.ts')
    const { SET_COURIER_TIMING, SetCourier } = await import('../src/signals/set-courier.ts')
    const { setPusher } = await import('../src/signals/push.ts')
    const { default: metadata } = await import('../routes/signals/metadata.ts')
    const { default: streams } = await import('../routes/signals/streams.ts')
    const wake = () => courier.wake()
    const push = setPusher({
      allow_private: ground.settings.backchannel_allow_private,
      ...(lookup && { lookup }),
    })
    const courier = new SetCourier({ ...ground, wake }, push, { ...SET_COURIER_TIMING, ...sending })
    const announcer = new SignalAnnouncer({ ...ground, wake }, { ...ANNOUNCER_TIMING, ...reading })
    return {
      hears: { event: () => announcer.wake() },
      workers: [courier, announcer],
      routes: [
        { scope: 'clients', at: 'host', plugin: metadata },
        { scope: 'clients', plugin: async (fastify) => void fastify.register(streams, { wake }) },
      ],
    }
  },
})
