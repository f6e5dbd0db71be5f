import type { KeeperOptions, OwnRoom } from '../plugins/room.ts'
import { OutcomeKeeper } from '../src/service/outcome-keeper.ts'

/** What last went wrong at third parties, kept for all replicas as requests and workers noted it. */
export const thirdParties = ({ every }: KeeperOptions): OwnRoom => ({
  name: 'third-parties',
  load: async (ground) => ({ workers: [new OutcomeKeeper(ground, every)] }),
})
