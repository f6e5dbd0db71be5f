import type { OwnRoom } from '../plugins/room.ts'

/** What clients ask people who are not there (OpenID Connect CIBA Core). */
export const asks: OwnRoom = {
  name: 'asks',
  isOn: ({ ask_people }) => ask_people === 'on',
  async load() {
    const { askFlow } = await import('../src/asks/ask-flow.ts')
    const { default: endpoint } = await import('../routes/backchannel-authentication.ts')
    const { default: page } = await import('../routes/asked.ts')
    return {
      flows: { ask: askFlow },
      routes: [
        { scope: 'clients', plugin: endpoint },
        { scope: 'users', plugin: page },
      ],
    }
  },
}
