import type { OwnRoom, PartiesOf } from '../plugins/room.ts'

/** The pages of one's own account, with what happened lately to it. */
export const account = (partiesOf: PartiesOf): OwnRoom => ({
  name: 'account',
  isOn: ({ account_page }) => account_page === 'on',
  async load(ground) {
    const { ActivityWriter } = await import('../src/self-service/activity.ts')
    const { accountFlow } = await import('../src/self-service/account-flow.ts')
    const { default: pages } = await import('../routes/account.ts')
    const parties = await partiesOf(ground.settings)
    const activities = new ActivityWriter(ground)
    return {
      flows: { account: accountFlow },
      hears: { event: (event, origin) => activities.note(event, origin()) },
      workers: [activities],
      routes: [
        {
          scope: 'users',
          plugin: async (fastify) => void fastify.register(pages, { ...(parties && { parties }) }),
        },
      ],
    }
  },
})
