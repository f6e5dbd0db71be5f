import type { AccountPageContext } from './account-context.ts'
import { readActivities } from './activity.ts'
import type { ShownActivity } from './pages/activity.ts'

/** What happened lately, with the names of applications as far as they are there. @throws StorageUnavailable */
export async function ownActivities(context: AccountPageContext, username: string): Promise<ShownActivity[]> {
  const activities = await readActivities(context, username)
  return Promise.all(
    activities.map(async (activity) => {
      const { client_id } = activity
      if (client_id === undefined) return activity
      return { ...activity, client_name: (await context.clients.find(client_id))?.client_name ?? client_id }
    }),
  )
}
