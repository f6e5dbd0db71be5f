export { default, type RedmintOptions } from '../app.ts'
export type {
  Room,
  RoomAdditions,
  RoomCheck,
  RoomClient,
  RoomFinding,
  RoomParts,
  RoomRoutes,
  RoomSection,
} from '../plugins/room.ts'
export { type Config, readConfig } from '../src/config/config.ts'
export { ConfigError } from '../src/config/config-error.ts'
export type { Settings } from '../src/config/settings.ts'
export type { Origin } from '../src/core/audit-entries.ts'
export type { SecurityEvent } from '../src/core/events.ts'
export type { Worker } from '../src/core/worker.ts'
export type { AccountSource, OwnAccount } from '../src/interaction/own-accounts.ts'
export { password } from '../src/interaction/password-method.ts'
export type {
  ApplicationMethod as SignInMethod,
  ApplicationMethods as SignInMethods,
  AskedPage,
  Failure,
  MethodContext,
  NextRound,
  PasswordResult,
  RoundResult,
  SignInRound,
  Success,
} from '../src/interaction/sign-in-method.ts'
export { type Html, html } from '../src/pages/html.ts'
export type { User } from '../src/users/user-record.ts'
