import type { Settings } from '../config/settings.ts'
import type { SecondStepContext } from '../factors/totp.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { SessionContext } from '../sessions/session.ts'
import type { Storage } from '../storage/storage.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import type { OwnActingContext } from './own-acting.ts'
import type { OwnApplicationsContext } from './own-applications.ts'
import type { OwnSessionsContext } from './own-sessions.ts'

/** What the account page works with. */
export type AccountPageContext = Omit<SessionContext, 'storage' | 'settings'> &
  OwnSessionsContext &
  OwnApplicationsContext &
  SecondStepContext &
  Pick<OwnActingContext, 'resources'> & {
    readonly storage: Storage
    readonly settings: Settings
    readonly accounts: AccountRegistry
    readonly sealer: Sealer
  }
