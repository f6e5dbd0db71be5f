import type { LookupFunction } from 'node:net'
import type { OwnRoom } from '../plugins/room.ts'
import type { CourierTiming } from '../src/outbound/notice-courier.ts'

/** What tests replace. */
export interface AskOptions {
  timing?: Partial<CourierTiming>
  /** Resolves the host name of a client. */
  lookup?: LookupFunction
}

/** What clients ask people who are not there (OpenID Connect CIBA Core). */
export const asks = ({ timing, lookup }: AskOptions): OwnRoom => ({
  name: 'asks',
  isOn: ({ ask_people }) => ask_people === 'on',
  async load(ground) {
    const { askFlow } = await import('../src/asks/ask-flow.ts')
    const { ownAsks } = await import('../src/asks/own-asks.ts')
    const { PING_TIMING, PingCourier } = await import('../src/asks/ping-courier.ts')
    const { postPing } = await import('../src/asks/post-ping.ts')
    const { default: endpoint } = await import('../routes/backchannel-authentication.ts')
    const { default: page } = await import('../routes/asked.ts')
    const options = { allow_private: ground.settings.backchannel_allow_private, ...(lookup && { lookup }) }
    const courier = new PingCourier(ground, postPing(options), { ...PING_TIMING, ...timing })
    return {
      flows: { ask: askFlow },
      // Clients are told at once, whoever stored the answer.
      hears: {
        event({ event }) {
          if (event === 'ask_allowed' || event === 'ask_denied') courier.wake()
        },
      },
      // The bar leads to the account page.
      ...(ground.settings.account_page === 'on' && {
        waitsFor: async (sub) => (await ownAsks(ground, { sub })).length > 0,
      }),
      routes: [
        { scope: 'clients', plugin: endpoint },
        { scope: 'users', plugin: page },
      ],
      workers: [courier],
    }
  },
})
